import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { packagesFor, thisMachine } from './platform-packages.mjs'

// The real script in a small checkout, with a fake npm that installs slowly or fails.

const scripts = join(import.meta.dirname, '..')
const NODE_RULE = 'packages/server/bin/node-version.mjs'
const scratch = mkdtempSync(join(tmpdir(), 'spoor-ensure-'))
after(() => rmSync(scratch, { recursive: true }))

const platform = packagesFor(thisMachine())
assert.ok(platform)
const LOCKED = {
  'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
  'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['aix'] },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-tool', dev: true },
  [`node_modules/${platform.runtime}`]: { version: '24.22.3', optional: true },
}

const FAKE_NPM = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n')
const put = (path, content) => (mkdirSync(dirname(path), { recursive: true }), writeFileSync(path, content))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const mode = process.env.FAKE_NPM
if (mode === 'offline') {
  console.error('npm warn something\\nnpm error code ENOTFOUND\\nnpm error network request failed\\nnpm error A complete log of this run can be found in: x')
  process.exit(1)
}
put('node_modules/one/half', '')
if (mode === 'hang') await sleep(60_000)
await sleep(300)
if (!existsSync('node_modules/one/half')) throw new Error('another npm is at work in here')
const packages = ${JSON.stringify(LOCKED)}
delete packages['node_modules/elsewhere']
if (process.argv.includes('--omit=dev')) delete packages['node_modules/tool']
if (mode === 'other-version') packages['node_modules/one'].version = '2.0.0'
const engine = process.argv.some((argument) => argument.startsWith(${JSON.stringify(`${platform.engine}@`)}))
if (engine || mode !== 'no-engine-in-lockfile') put('node_modules/${platform.engine}/package.json', '{}')
for (const [path, entry] of Object.entries(packages)) put(path + '/package.json', JSON.stringify({ version: entry.version }))
put('node_modules/${platform.runtime}/bin/node', '')
put('node_modules/chdb/package.json', JSON.stringify({ optionalDependencies: { '${platform.engine}': '1.2.3' } }))
put('node_modules/.package-lock.json', JSON.stringify({ packages }))
`

/** @param {string} name */
function checkout(name) {
  const root = join(scratch, name)
  cpSync(scripts, join(root, 'scripts'), { recursive: true })
  cpSync(join(scripts, `../${NODE_RULE}`), join(root, NODE_RULE))
  writeFileSync(join(root, 'package.json'), '{}')
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...LOCKED } }))
  mkdirSync(join(root, 'fake-npm'))
  writeFileSync(join(root, 'fake-npm/package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(root, 'fake-npm/npm-cli.js'), FAKE_NPM)
  return root
}

/** @param {string} root @param {string} [mode] @param {string[]} [args] */
function start(root, mode = '', args = []) {
  const child = spawn(process.execPath, [join(root, 'scripts/ensure-installed.mjs'), ...args], {
    env: { ...process.env, npm_execpath: join(root, 'fake-npm/npm-cli.js'), FAKE_NPM: mode },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output })) }
}

/** @param {string} root */
const npmCalls = (root) =>
  existsSync(join(root, 'npm-calls')) ? readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n') : []

/** @param {string} path */
async function untilThere(path) {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('installs once, reports it, and is silent afterwards', async () => {
  const root = checkout('once')
  const first = await start(root).ended
  assert.equal(first.code, 0, first.output)
  assert.match(first.output, /^Installing the packages with npm: about 1300 MB.*\nPackages installed in \d+ s\.\n$/)
  assert.deepEqual(await start(root, '', ['--quiet']).ended, { code: 0, output: '' })
  assert.deepEqual(await start(root).ended, { code: 0, output: 'Packages are installed and up to date.\n' })
  assert.equal(npmCalls(root).length, 1)
  assert.ok(!existsSync(join(root, '.spoor/install.lock')))
})

test('installs again after a change of the lockfile; accepts a manual install that matches it', async () => {
  const root = checkout('changed')
  await start(root).ended
  const lockfile = join(root, 'package-lock.json')
  writeFileSync(lockfile, readFileSync(lockfile, 'utf8').replace('sha512-one', 'sha512-two'))
  const changed = await start(root).ended
  assert.match(changed.output, /npm installed other versions than package-lock\.json names/)
  assert.equal(changed.code, 1)
  writeFileSync(lockfile, `${readFileSync(lockfile, 'utf8').replace('sha512-two', 'sha512-one')}\n`)
  const byHand = spawn(process.execPath, [join(root, 'fake-npm/npm-cli.js')], { cwd: root })
  await once(byHand, 'close')
  rmSync(join(root, 'node_modules/.spoor-installing'))
  const calls = npmCalls(root).length
  assert.equal((await start(root, 'offline').ended).code, 0)
  assert.equal(npmCalls(root).length, calls)
})

test('the service needs no development packages; what needs them installs them, and they stay', async () => {
  const root = checkout('service')
  const tool = join(root, 'node_modules/tool')
  const first = await start(root, '', ['--for-service']).ended
  assert.match(first.output, /about 1050 MB/)
  assert.deepEqual([existsSync(tool), npmCalls(root).length], [false, 1])
  assert.deepEqual(await start(root, '', ['--for-service', '--quiet']).ended, { code: 0, output: '' })
  assert.equal((await start(root).ended).code, 0)
  assert.deepEqual([existsSync(tool), npmCalls(root).length], [true, 2])
  assert.deepEqual(await start(root, 'offline', ['--for-service', '--quiet']).ended, { code: 0, output: '' })
  rmSync(join(root, 'node_modules/.spoor-installed'))
  assert.equal((await start(root, 'offline', ['--for-service']).ended).code, 0)
  assert.deepEqual([existsSync(tool), npmCalls(root).length], [true, 2])
})

test('of two concurrent starts, one installs and the other waits', async () => {
  const root = checkout('two')
  const results = await Promise.all([start(root).ended, start(root).ended, start(root).ended])
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0, 0],
    JSON.stringify(results),
  )
  assert.equal(npmCalls(root).length, 1)
})

test('the start after a killed one installs completely', async () => {
  const root = checkout('killed')
  const { child, ended } = start(root, 'hang')
  await untilThere(join(root, 'node_modules/one/half'))
  const npmPid = JSON.parse(readFileSync(join(root, '.spoor/install.lock'), 'utf8')).pids[1]
  child.kill('SIGKILL')
  process.kill(npmPid, 'SIGKILL')
  await ended
  writeFileSync(join(root, 'node_modules/one/cut-off'), '')
  const next = await start(root).ended
  assert.equal(next.code, 0, next.output)
  assert.ok(!existsSync(join(root, 'node_modules/one/cut-off')))
})

test('SIGTERM stops npm, releases the lock and says how to continue', async () => {
  const root = checkout('stopped')
  const { child, ended } = start(root, 'hang')
  await untilThere(join(root, 'node_modules/one/half'))
  child.kill('SIGTERM')
  const { code, output } = await ended
  assert.equal(code, 143)
  assert.match(output, /Installing was stopped \(SIGTERM\)\. Run the same command again/)
  assert.ok(!existsSync(join(root, '.spoor/install.lock')))
})

test('a failure shows the errors of npm, not its warnings, and what to do', async () => {
  const { code, output } = await start(checkout('offline'), 'offline').ended
  assert.equal(code, 1)
  assert.match(output, / {2}npm error code ENOTFOUND\n/)
  assert.match(output, /The npm registry could not be reached\. Check the network/)
  assert.doesNotMatch(output, /npm warn|complete log| at /)
})

test('a platform package that the lockfile does not name is installed by name', async () => {
  const root = checkout('unnamed')
  const { code, output } = await start(root, 'no-engine-in-lockfile').ended
  assert.equal(code, 0, output)
  assert.match(npmCalls(root)[1] ?? '', new RegExp(`${platform.engine}@1\\.2\\.3`))
})

test('the scripts import only Node modules and one another, so they run before anything is installed', () => {
  const seen = new Set()
  const visit = (/** @type {string} */ file) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import) '([^']+)'/g)) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier))
      else assert.match(specifier, /^node:/, file)
    }
  }
  visit(join(scripts, 'ensure-installed.mjs'))
  assert.ok(seen.size >= 7)
})
