// Makes a clone ready to run. Uses nothing but Node, says nothing when nothing is to do.
//   node scripts/setup.mjs           installs what package-lock.json names
//   node scripts/setup.mjs --build   and compiles what the package offers to dist/

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.holdfast-installed');
const dist = join(root, 'dist');
const buildStampFile = join(dist, '.holdfast-build');
const buildInfoFile = join(root, '.cache', 'build.tsbuildinfo');
const entry = join(dist, 'src', 'cli', 'entry.cjs');

checkNode();
installPackages();
if (process.argv.includes('--build')) build();
linkCommand();

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(
    `Holdfast needs Node.js 20.19 or newer; this is ${process.version} (${process.execPath}).\n` +
      'Install a newer one from https://nodejs.org, or switch with your version manager.',
  );
}

/** Installs when the lock file, the platform or Node's ABI is not the one installed for. */
function installPackages() {
  const { platform, arch, versions } = process;
  const lock = hashOf(fs.readFileSync(join(root, 'package-lock.json')));
  const stamp = [lock, platform, arch, `abi ${versions.modules}`].join(' ');
  if (readText(stampFile) === stamp) return;
  say('installing packages (npm ci) …');
  const npm = process.env['npm_execpath'];
  const command = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const isScript = npm !== undefined && /npm-cli\.c?js$/.test(npm);
  const done = isScript
    ? run(process.execPath, [npm, ...command])
    : run('npm', command, { shell: platform === 'win32' });
  if (!done) fail('npm ci failed: see its messages above, then run the same command again.');
  fs.writeFileSync(stampFile, stamp);
}

/**
 * Compiles when a source, its name or a compiler setting changed since dist/ was made. Of sim/ the
 * compiler takes what `holdfast/sim` needs; which files these are is its own business, so that a
 * change in any of them counts.
 */
function build() {
  const sources = [...sourceFiles(join(root, 'src')), ...sourceFiles(join(root, 'sim'))];
  const names = ['tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json'];
  const settings = hashOf(names.map((name) => readText(join(root, name))).join('\n'));
  const stamp = `${settings} ${hashOf(sources.map(stateOf).join('\n'))}`;
  const before = readText(buildStampFile) ?? '';
  if (before === stamp && fs.existsSync(entry)) return;
  // The compiler skips what it believes to be there, whatever it was made with.
  if (!before.startsWith(`${settings} `)) {
    fs.rmSync(dist, { recursive: true, force: true });
    fs.rmSync(buildInfoFile, { force: true });
  }
  say('compiling src/ and sim/ to dist/ …');
  fs.rmSync(buildStampFile, { force: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!run(process.execPath, [compiler, '-p', 'tsconfig.build.json'])) {
    fail('the sources do not compile: see the messages above.');
  }
  removeOutdated();
  fs.chmodSync(entry, 0o755);
  fs.writeFileSync(buildStampFile, stamp);
}

/** The compiler never removes what it once wrote: what it would not write any more goes. */
function removeOutdated() {
  const { fileNames } = JSON.parse(readText(buildInfoFile));
  const made = new Set(fileNames.map((name) => stemOf(root, resolve(buildInfoFile, '..', name))));
  for (const path of filesOf(dist)) {
    if (!made.has(stemOf(dist, path))) fs.rmSync(path);
  }
}

/** What a source and all that is made of it have in common. */
function stemOf(folder, path) {
  return relative(folder, path).replace(/(\.d)?\.c?[jt]s(\.map)?$/, '');
}

/** `npx holdfast` works in the clone as it does where the package is installed. */
function linkCommand() {
  const link = join(root, 'node_modules', '.bin', 'holdfast');
  const target = join('..', '..', 'dist', 'src', 'cli', 'entry.cjs');
  if (process.platform === 'win32' || linkTarget(link) === target) return;
  fs.mkdirSync(dirname(link), { recursive: true });
  fs.rmSync(link, { force: true });
  fs.symlinkSync(target, link);
}

function linkTarget(path) {
  try {
    return fs.readlinkSync(path);
  } catch {
    return null;
  }
}

function sourceFiles(directory) {
  return filesOf(directory).filter((path) => /\.c?ts$/.test(path));
}

function filesOf(directory) {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort((a, b) => (a < b ? -1 : 1));
}

function stateOf(path) {
  const { mtimeMs, size } = fs.statSync(path);
  return `${path} ${mtimeMs} ${size}`;
}

function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}

function readText(path) {
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null;
}

/** Runs a program with its output on stderr; true when it ended with 0. */
function run(program, args, options = {}) {
  const stdio = ['ignore', process.stderr, process.stderr];
  return spawnSync(program, args, { cwd: root, stdio, ...options }).status === 0;
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
