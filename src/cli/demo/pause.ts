import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeAddresses } from '../../server/free-addresses.ts';
import { prepareDataRoot } from '../data-root.ts';
import { deathSignalPrefix } from '../death-signal.ts';
import type { DemoPauseOptions } from '../demo.ts';
import { errorSentence } from '../error-json.ts';
import { EXIT, Failure, signalExitCode } from '../exit-code.ts';
import { LocalCluster } from '../local-cluster.ts';
import { localConfig } from '../local-config.ts';
import { hasColours, note, noteProgress, printJson, printLine } from '../output.ts';
import { SignalInbox } from '../signals.ts';
import { Actor } from './actor.ts';
import { drawStory } from './picture.ts';
import { playAct } from './story.ts';
import type { Act } from './story.ts';
import { Timeline } from './timeline.ts';

const NODE_COUNT = 3;
/** Another process may take a port between our look and its use. */
const ATTEMPTS_MAX = 3;

/**
 * Plays the story on processes of its own; resolves with the exit code. Rejects with a Failure when
 * a process does not start, or ends too early. Nothing of it is left in any case.
 */
export async function demoPause(options: DemoPauseOptions): Promise<number> {
  if (options.both === true && !options.guard) {
    throw new Failure(EXIT.usage, 'USAGE: --both plays both: give it or --no-guard');
  }
  const inbox = new SignalInbox();
  const theatre = new Theatre();
  const onExit = (): void => theatre.clear();
  process.once('exit', onExit);
  const interrupted = new Promise<null>((resolve) => {
    inbox.interrupted.addEventListener('abort', () => resolve(null));
  });
  try {
    const acts = await Promise.race([play(theatre, options), interrupted]);
    if (acts !== null) return finish(acts, options);
    return inbox.interruption === null ? 0 : signalExitCode(inbox.interruption);
  } finally {
    await theatre.close();
    process.off('exit', onExit);
    inbox.close();
  }
}

async function play(theatre: Theatre, options: DemoPauseOptions): Promise<readonly Act[]> {
  const { ttl: ttlMs, guard, both } = options;
  const isJson = options.json === true;
  noteProgress('starting three nodes, a database and two workers');
  const nodes = await theatre.startCluster();
  const url = await theatre.startDatabase();
  noteProgress('');
  const acts: Act[] = [];
  for (const isGuarded of both === true ? [false, true] : [guard]) {
    const timeline = new Timeline({ isColourful: hasColours(), ttlMs });
    const say = (line: string): void => {
      if (!isJson) printLine(line);
    };
    if (acts.length > 0) say('');
    say(timeline.heading(isGuarded));
    const stage = {
      ...{ nodes, ttlMs, url },
      start: theatre.start.bind(theatre),
      onEvent: (event: Act['events'][number]) => say(timeline.line(event)),
    };
    const act = await playAct(stage, isGuarded);
    say(timeline.verdict(act));
    acts.push(act);
  }
  return acts;
}

function finish(acts: readonly Act[], { ttl, svg, json }: DemoPauseOptions): number {
  if (json === true) {
    for (const act of acts)
      printJson({ ...act, ...tokensOf(act), ttlMs: ttl, isAsTold: isAsTold(act) });
  }
  if (svg !== undefined) writeOut(svg, drawStory(acts, ttl));
  return acts.every(isAsTold) ? 0 : EXIT.refused;
}

function isAsTold({ problems }: Act): boolean {
  return problems.length === 0;
}

function tokensOf({ events }: Act): { readonly first: number; readonly second: number } {
  const tokenOf = (who: string): number => events.find((event) => event.who === who)?.token ?? 0;
  return { first: tokenOf('worker-1'), second: tokenOf('worker-2') };
}

function writeOut(file: string, svg: string): void {
  try {
    writeFileSync(file, svg);
    note(`wrote ${file}`);
  } catch (error) {
    throw new Failure(EXIT.refused, `REFUSED: cannot write ${file}: ${errorSentence(error)}`);
  }
}

/** All processes and files of the demo. */
class Theatre {
  private readonly directory = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  private readonly actors = new Set<Actor>();
  private cluster: LocalCluster | null = null;
  private prefix: Promise<readonly string[]> | null = null;
  private killPrefix: readonly string[] = [];
  private isClosed = false;

  /** Resolves with the addresses of nodes that have a leader. */
  async startCluster(): Promise<readonly string[]> {
    for (let attempt = 1; ; attempt++) {
      const cluster = await this.openCluster(attempt);
      try {
        await cluster.ready();
        return cluster.addresses;
      } catch (error) {
        await cluster.stop();
        const isTaken = error instanceof Failure && error.exitCode === EXIT.portInUse;
        if (!isTaken || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Resolves with its address. */
  async startDatabase(): Promise<string> {
    const argument = join(this.directory, 'stock');
    const actor = this.start({ name: 'the database', program: './database.js', argument });
    return (await actor.next('ready')).text;
  }

  /** Starts a process that ends with the theatre. */
  start(plan: Parameters<Parameters<typeof playAct>[0]['start']>[0]): Actor {
    this.refuseClosed();
    const logFile = join(this.directory, `${plan.name.replaceAll(' ', '-')}.log`);
    const actor = new Actor({ ...plan, prefix: this.killPrefix, logFile });
    this.actors.add(actor);
    void actor.ended.then(() => this.actors.delete(actor));
    return actor;
  }

  /** Ends all processes, waits for it, and deletes all files. */
  async close(): Promise<void> {
    this.isClosed = true;
    const actors = [...this.actors];
    for (const actor of actors) actor.signal('SIGKILL');
    await Promise.all([this.cluster?.stop(), ...actors.map((actor) => actor.ended)]);
    this.removeFiles();
  }

  /** The same without waiting, for when this process ends at once. */
  clear(): void {
    for (const actor of this.actors) actor.signal('SIGKILL');
    this.cluster?.kill();
    this.removeFiles();
  }

  private async openCluster(attempt: number): Promise<LocalCluster> {
    this.killPrefix = await (this.prefix ??= deathSignalPrefix('KILL'));
    const addresses = await freeAddresses(NODE_COUNT);
    const nodes = addresses.map((address, at) => ({ id: `n${at + 1}`, address }));
    this.refuseClosed();
    const root = join(this.directory, `nodes-${attempt}`);
    mkdirSync(root);
    const config = join(root, 'cluster.config.json');
    writeFileSync(config, JSON.stringify({ name: 'demo', nodes, dataDir: '.' }));
    const local = localConfig({ config, data: root });
    prepareDataRoot({ path: root, nodeIds: nodes.map(({ id }) => id) });
    this.cluster = new LocalCluster(local, this.killPrefix);
    return this.cluster;
  }

  private removeFiles(): void {
    // A process that was killed a moment ago may still be making its last file.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  // A signal may have closed it while something was being started.
  private refuseClosed(): void {
    if (this.isClosed) throw new Failure(EXIT.unavailable, 'UNAVAILABLE: the demo was stopped');
  }
}
