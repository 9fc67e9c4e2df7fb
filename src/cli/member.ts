// holdfast member: who takes part in a cluster, and its change while the cluster works on.

import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { parseAddress } from '../adapters/address.ts';
import type { MembershipStep } from '../client/admin.ts';
import type { MembershipView } from '../wire/client-messages.ts';
import { membershipJson } from '../server/views.ts';
import { HoldfastError } from '../base/error.ts';
import { signalExitCode } from './exit-code.ts';
import { Progress } from './member-progress.ts';
import { note, printJson, printLine, printTable } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { SignalInbox } from './signals.ts';
import { withAdmin } from './with-admin.ts';

interface AddOptions extends ClusterOptions {
  readonly learner?: true;
}

/** ID=ADDRESS on the command line. */
interface NewNode {
  readonly nodeId: string;
  readonly address: string;
}

const HEADER = ['ID', 'ADDRESS', 'ROLE', 'CONNECTED', 'CAUGHT-UP', 'LAST'];

const NEW_NODE = `
The new node must run, with a data directory that belongs to no cluster (never copy one), under an
id that was never used in this cluster. Start it as every node: its configuration file names it.`;

const REPEATABLE = `
The cluster serves all the time. The change is safe to repeat: if this command is interrupted, or
cannot reach the cluster, run it again; it goes on where it stands, and succeeds at once when all is
done. A new node that makes no progress for 30 s is taken out again, and nothing has changed then.
Ctrl-C ends the command and not the change.`;

const EXIT_CODES = `
Exit code: 0 done; 1 refused, nothing was changed: another change is under way, or the new node does
not keep up; 128+n a signal came; ${QUESTION_EXIT_CODES}`;

/** Adds `member` with its commands to the program. */
export function addMemberCommand(invocation: Invocation): void {
  const parent = invocation.program
    .command('member')
    .description('list the members of the cluster, and change who they are');
  addExamples(parent, ['holdfast member list', 'holdfast member replace n3 n6=10.0.0.6:7101']);
  addList(parent);
  addAdd(parent);
  addPromote(parent);
  addRemove(parent);
  addReplace(parent);
}

function addList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list the members as the leader knows them')
    .addHelpText(
      'after',
      `
A learner gets the log and counts for nothing else. While the cluster changes, "joining" has become
a voter and "leaving" is one no more as soon as the change is done.

Exit code: 0 listed; ${QUESTION_EXIT_CODES}`,
    )
    .action(async (options: ClusterOptions) => {
      const view = await withAdmin(options, (admin) => admin.membership());
      if (options.json === true) printJson(membershipJson(view));
      else printMembers(view);
    });
  addExamples(addClusterOptions(command), ['holdfast member list', 'holdfast member list --json']);
}

function addAdd(parent: Command): void {
  const command = parent
    .command('add')
    .description('add a node: it gets the whole state, then a vote')
    .argument('<id=address>', 'id of the new node, and where it is reached', newNode)
    .option('--learner', 'give it no vote: see holdfast member promote')
    .addHelpText('after', `${NEW_NODE}\n${REPEATABLE}\n${EXIT_CODES}`)
    .action(async (node: NewNode, options: AddOptions) => {
      const isVoter = options.learner !== true;
      await change({ step: 'addMember', ...node, isVoter, expectedIndex: null }, options);
    });
  addExamples(addClusterOptions(command), [
    'holdfast member add n4=10.0.0.4:7101',
    'holdfast member add n4=10.0.0.4:7101 --learner',
  ]);
}

function addPromote(parent: Command): void {
  const command = parent
    .command('promote')
    .description('make a learner a voter, once it keeps up')
    .argument('<id>', 'id of the learner')
    .addHelpText('after', `${REPEATABLE}\n${EXIT_CODES}`)
    .action(async (nodeId: string, options: ClusterOptions) => {
      await change({ step: 'promote', nodeId, expectedIndex: null }, options);
    });
  addExamples(addClusterOptions(command), ['holdfast member promote n4']);
}

function addRemove(parent: Command): void {
  const command = parent
    .command('remove')
    .description('take a node out of the cluster, dead or alive')
    .argument('<id>', 'id of the node')
    .addHelpText(
      'after',
      `
Its id is never given again: to bring the machine back, wipe its directory and add it under a new
id. A leader that is removed hands over first. Stop the process of the node afterwards. To change
one machine for another use member replace: it is one step, and nothing is missing meanwhile.
${REPEATABLE}
${EXIT_CODES}`,
    )
    .action(async (nodeId: string, options: ClusterOptions) => {
      await change({ step: 'removeMember', nodeId, expectedIndex: null }, options);
    });
  addExamples(addClusterOptions(command), ['holdfast member remove n3']);
}

function addReplace(parent: Command): void {
  const command = parent
    .command('replace')
    .description('put a new node in the place of another one, dead or alive')
    .argument('<id>', 'id of the node that goes')
    .argument('<id=address>', 'id of the node that comes, and where it is reached', newNode)
    .addHelpText(
      'after',
      `
In phases, told on stderr: the new node joins as a learner and gets the whole state; when it keeps
up, both change places in one step; then the old one is out and its id is never given again.
${NEW_NODE}
${REPEATABLE}
${EXIT_CODES}`,
    )
    .action(async (nodeId: string, by: NewNode, options: ClusterOptions) => {
      await change({ step: 'replace', nodeId, by, expectedIndex: null }, options);
    });
  addExamples(addClusterOptions(command), ['holdfast member replace n3 n6=10.0.0.6:7101']);
}

function newNode(text: string): NewNode {
  const [, nodeId = '', address = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const parsed = parseAddress(address);
  if (/^[A-Za-z0-9._-]{1,64}$/.test(nodeId) && parsed !== null && parsed.port > 0) {
    return { nodeId, address };
  }
  throw new InvalidArgumentError('expected ID=HOST:PORT, such as n4=10.0.0.4:7101.');
}

async function change(step: MembershipStep, options: ClusterOptions): Promise<void> {
  const progress = new Progress(step, note);
  const signals = new SignalInbox();
  const view = await withAdmin(options, (admin) =>
    Promise.race([
      admin.change(step, (seen) => progress.show(seen)),
      interruption(signals, progress),
    ]),
  ).finally(() => signals.close());
  if (options.json === true) printJson(membershipJson(view));
  else printLine(progress.done(view));
}

/** Rejects when a signal comes: the change goes on without us. */
function interruption(signals: SignalInbox, progress: Progress): Promise<never> {
  return new Promise((_, reject) => {
    signals.interrupted.addEventListener('abort', () => {
      const signal = signals.interruption ?? 'SIGINT';
      const details = { exitCode: signalExitCode(signal) };
      const text = `${signal} while ${progress.standing()}`;
      reject(new HoldfastError('CANCELLED', text, { outcome: 'unknown', details }));
    });
  });
}

function printMembers(view: MembershipView): void {
  printTable(
    HEADER,
    view.members.map(({ nodeId, address, role, isConnected, isCaughtUp, matchIndex }) => [
      nodeId,
      address,
      role,
      isConnected ? 'yes' : 'no',
      isCaughtUp ? 'yes' : 'no',
      String(matchIndex),
    ]),
  );
  if (view.isJoint || !view.isCommitted) note('a change of the membership is under way');
  if (view.retired.length > 0) note(`ids that left, never given again: ${view.retired.join(', ')}`);
}
