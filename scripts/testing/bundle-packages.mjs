// node scripts/testing/bundle-packages.mjs FOLDER: writes packages of hundreds of modules as a few modules. Loading
// them takes 40 ms of processor time instead of 250, in each process of the tests.
import { rolldown } from 'rolldown'

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder to write to')

/** Those of which the code of this repository imports values. */
const IMPORTED = [
  'kysely',
  'typebox',
  'typebox/compile',
  'typebox/error',
  'typebox/schema',
  'typebox/system',
  'typebox/value',
]

const bundle = await rolldown({
  input: Object.fromEntries(IMPORTED.map((name) => [name.replace('/', '-'), name])),
  platform: 'node',
  logLevel: 'warn',
})
await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].js' })
