// holdfast transfer: another node leads, without a pause that anybody notices.

import { HoldfastError } from '../base/error.ts';
import { printJson, printLine } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { withAdmin } from './with-admin.ts';

const NOTES = `
The leader stops taking requests, brings the other node up to date and has it elected at once;
clients send what was refused to the new leader by themselves. If the other node does not take over
within an election time-out, all stays as it was. There is no need for it before a node is stopped:
SIGTERM hands over first.

Exit code: 0 it leads, or led before; ${QUESTION_EXIT_CODES}`;

/** Adds `transfer` to the program. */
export function addTransferCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('transfer')
    .description('hand leadership over to another node')
    .argument('[id]', 'id of the node that is to lead; without it, the one that is furthest')
    .addHelpText('after', NOTES)
    .action(async (id: string | undefined, options: ClusterOptions) => {
      const leader = await withAdmin(options, (admin) => admin.transfer(id ?? null));
      if (leader === null) {
        throw new HoldfastError('UNAVAILABLE', 'leadership was handed over, but nobody leads yet');
      }
      if (options.json === true) printJson({ leader });
      else printLine(`${leader} leads`);
    });
  addExamples(addClusterOptions(command), ['holdfast transfer n2', 'holdfast transfer']);
}
