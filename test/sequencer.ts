import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** The corpus of the simulator runs first: what broke once is most likely to break again. */
export default class CorpusFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isCorpus = ({ moduleId }: TestSpecification): boolean =>
      moduleId.includes('/corpus.test.');
    return [...sorted.filter(isCorpus), ...sorted.filter((file) => !isCorpus(file))];
  }
}
