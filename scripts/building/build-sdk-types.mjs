import { join } from 'node:path'
import { filesBelow, hashFiles } from '../../packages/server/bin/source-hash.mjs'
import { buildFolder, ROOT } from './build-folder.mjs'

/** @param {{ quiet: boolean }} options */
export function buildSdkTypes({ quiet }) {
  buildFolder({
    title: "The client's part of the contract",
    folder: join(ROOT, 'packages/sdk/src/client/generated'),
    stamp: hashFiles([
      'package-lock.json',
      'scripts/write-sdk-types.ts',
      ...filesBelow('scripts/sdk-types', /(?<![.]test)[.]ts$/),
      ...filesBelow('packages/contract/src', /(?<![.]test)[.]ts$/),
    ]),
    quiet,
    command: (scratch) => [join(ROOT, 'scripts/write-sdk-types.ts'), scratch],
    cwd: ROOT,
  })
}
