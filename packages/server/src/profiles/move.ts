import { join } from 'node:path'
import type { Config } from '../config.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { SecretBox } from '../lib/secret-box.ts'
import { systemClock } from '../lib/time/clock.ts'
import { openFolderBlobStore } from '../storage/blobs/folder/folder-blob-store.ts'
import { type Moved, type MoveOptions, moveStore } from '../storage/move/move-store.ts'
import { withStores } from './cluster/open-stores.ts'

/** Copies a data directory into the cluster of the configuration. Throws OperatorError when that is not possible. */
export function moveDataDirectory(
  config: Config,
  dataDir: string,
  onProgress: MoveOptions['onProgress'],
): Promise<Moved> {
  return withStores(config, async ({ secretKey, ...target }) =>
    moveStore({
      dataDir,
      sourceBlobs: await openFolderBlobStore(join(dataDir, 'media')),
      target,
      box: new SecretBox(secretKey, systemRandomBytes),
      memoryBytes: config.memoryBytes,
      clock: systemClock,
      onProgress,
    }),
  )
}
