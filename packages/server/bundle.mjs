// node packages/server/bundle.mjs FOLDER: the server and its threads with the packages they import, as a few modules
// instead of two thousand.
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder to write to')
const server = dirname(fileURLToPath(import.meta.url))

const ENTRIES = [
  'src/main.ts',
  // Started as threads, by `new URL('./NAME.ts', import.meta.url)`.
  'src/traces/parse-thread/parse-thread.ts',
  'src/profiles/embedded/cluster-thread.ts',
  'src/profiles/cluster/discovery-thread.ts',
]

const bundle = await rolldown({
  input: ENTRIES.map((path) => join(server, path)),
  platform: 'node',
  // They load files that lie beside their own: a library, the pages of the API reference.
  external: ['chdb', '@fastify/swagger-ui', 'pino'],
  logLevel: 'warn',
  plugins: [
    {
      // A bundled module lies elsewhere: files beside its source are still named from there, threads are bundled too.
      name: 'source-urls',
      transform: {
        filter: { id: /packages[\\/]\w+[\\/]src[\\/]/, code: /import\.meta\.url/ },
        handler: (code, id) => {
          const source = JSON.stringify(relative(folder, id).replaceAll('\\', '/'))
          return code
            .replaceAll('import.meta.url', `new URL(${source}, import.meta.url).href`)
            .replace(/'\.\/([\w-]+-thread)\.ts', new URL\([^)]*\)\.href/g, "'./$1.mjs', import.meta.url")
        },
      },
    },
  ],
})
await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
