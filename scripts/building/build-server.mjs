import { join } from 'node:path'
import { BUILT_SERVER, hashServerSources } from '../../packages/server/bin/source-hash.mjs'
import { buildFolder, ROOT } from './build-folder.mjs'

/** @param {{ quiet: boolean }} options */
export function buildServer({ quiet }) {
  buildFolder({
    title: 'The server',
    folder: BUILT_SERVER,
    stamp: hashServerSources(),
    quiet,
    command: (scratch) => [join(ROOT, 'packages/server/bundle.mjs'), scratch],
    cwd: ROOT,
  })
}
