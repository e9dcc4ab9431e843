// npm run build -w @spoor/sdk: writes the package to publish (JavaScript, types, package.json) to dist/ or a given
// folder.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSdkTypes } from '../../scripts/building/build-sdk-types.mjs'

const here = import.meta.dirname
const output = resolve(process.argv[2] ?? join(here, 'dist'))
rmSync(output, { recursive: true, force: true })
buildSdkTypes({ quiet: true })

const compiler = fileURLToPath(import.meta.resolve('typescript/lib/tsc.js'))
const project = ['--project', join(here, 'tsconfig.build.json'), '--outDir', output]
const { status } = spawnSync(process.execPath, [compiler, ...project], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const { name, version, description, license, type } = manifest
const exports = Object.fromEntries(
  Object.entries(manifest.exports).map(([path, source]) => {
    const built = source.replace(/^[.]\/src\/(.*)[.]ts$/, './$1')
    return [path, { types: `${built}.d.ts`, default: `${built}.js` }]
  }),
)
const published = { name, version, description, license, type, engines: { node: '>=20' }, sideEffects: false, exports }
writeFileSync(join(output, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
cpSync(join(here, 'README.md'), join(output, 'README.md'))
cpSync(join(here, '../../LICENSE'), join(output, 'LICENSE'))
