import { join } from 'node:path'
import { hashFiles } from '../../packages/server/bin/source-hash.mjs'
import { buildFolder, ROOT } from './build-folder.mjs'

/** For `scripts/testing/bundled-packages.mjs`. */
export function buildTestPackages() {
  buildFolder({
    title: 'The packages for tests',
    folder: join(ROOT, 'node_modules/.bundled-for-tests'),
    stamp: hashFiles(['package-lock.json', 'scripts/testing/bundle-packages.mjs']),
    quiet: true,
    command: (scratch) => [join(ROOT, 'scripts/testing/bundle-packages.mjs'), scratch],
    cwd: ROOT,
  })
}
