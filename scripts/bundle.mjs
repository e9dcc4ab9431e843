// npm run bundle [-- FILE]: one file with the built service, its packages and Node, for machines without a network.
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedBelow, productionPackages } from './building/production-packages.mjs'
import { writeSelfExtracting } from './building/self-extracting.mjs'
import { packagesFor, thisMachine } from './install/platform-packages.mjs'

const MOST_BYTES = 700e6
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const OF_TESTS = /[.](test|test-support|conformance)[.]\w+$/

const machine = thisMachine()
const platform = packagesFor(machine)
if (platform === null) throw new Error('There is no service for this platform.')
/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const name = `spoor-${version}-${machine.platform}-${machine.arch}`
const path = resolve(process.argv[2] ?? join(ROOT, `${name}.run`))

const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
const packages = productionPackages(locked, 'packages/server', installedBelow(ROOT))
const runtime = `node_modules/${platform.runtime}`
// Not in lockfiles that were written on another platform.
const engine = `node_modules/${platform.engine}`
const folders = [...new Set([...packages, runtime, engine])]

mkdirSync(join(ROOT, '.spoor'), { recursive: true })
const scratch = mkdtempSync(join(ROOT, '.spoor/bundle-'))
try {
  for (const file of ['LICENSE', 'package.json', 'package-lock.json']) copy(file)
  for (const folder of folders) copy(folder)
  copy('packages/dashboard/dist')
  await writeSelfExtracting({
    path,
    name,
    folder: scratch,
    command: [`${runtime}/bin/node`, 'packages/server/bin/spoor.mjs'],
  })
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const { size } = statSync(path)
if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`)
console.error(`${path}: ${Math.round(size / 1e6)} MB, ${folders.length} packages. Start it with: sh ${path}`)

/**
 * Files are linked: most are large, and none is changed. Packages within a package are listed by themselves.
 * @param {string} relative
 */
function copy(relative) {
  const [from, to] = [join(ROOT, relative), join(scratch, relative)]
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(from).isFile()) return void (existsSync(to) || linkSync(from, to))
  if (locked[relative]?.link === true) return cpSync(from, to, { verbatimSymlinks: true, recursive: true })
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || OF_TESTS.test(entry.name)) continue
    if (entry.isSymbolicLink()) cpSync(join(from, entry.name), join(to, entry.name), { verbatimSymlinks: true })
    else copy(`${relative}/${entry.name}`)
  }
}
