import type { Own, Program, ProgramHandle } from './types.ts';
import { UserProcess } from './user-process.ts';
import type { ProcessHome } from './user-process.ts';

/** How a life of a program ended. */
type Ending<T> =
  { readonly isOk: true; readonly value: T } | { readonly isOk: false; readonly error: unknown };

/** A program as a process, over all its lives. */
export class ProgramProcess<T> implements ProgramHandle<T> {
  readonly name: string;
  readonly user: UserProcess;
  private readonly home: ProcessHome;
  private readonly program: Program<T>;
  private promise: Promise<T> | null = null;
  private ending: Ending<T> | null = null;
  private settle: ((ending: Ending<T>) => void) | null = null;

  constructor(
    home: ProcessHome,
    plan: { readonly name: string; readonly isVirtual: boolean },
    program: Program<T>,
  ) {
    this.name = plan.name;
    this.home = home;
    this.program = program;
    this.user = new UserProcess(home, { ...plan, begin: (own) => void this.begin(own) });
  }

  get life(): number {
    return this.user.handle.process.incarnation;
  }

  get isAlive(): boolean {
    return this.user.handle.process.life !== null;
  }

  get done(): Promise<T> {
    this.promise ??= new Promise((resolve, reject) => {
      this.settle = (ending) => (ending.isOk ? resolve(ending.value) : reject(ending.error));
      if (this.ending !== null) this.settle(this.ending);
    });
    return this.promise;
  }

  private async begin(own: Own): Promise<void> {
    const { ground } = this.user;
    const life = ground?.own?.life;
    const isOver = (): boolean => life?.isAlive !== true || this.ending !== null;
    try {
      const value = await this.program(own);
      if (!isOver()) this.end({ isOk: true, value });
    } catch (error) {
      if (isOver() || ground === null) return;
      if (this.settle === null) this.home.ground.onUncaught(ground, error);
      this.end({ isOk: false, error });
    }
  }

  private end(ending: Ending<T>): void {
    this.ending = ending;
    this.settle?.(ending);
  }
}
