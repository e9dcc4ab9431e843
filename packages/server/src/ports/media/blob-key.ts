import type { ProjectId } from '@spoor/contract/ids'
import type { RandomBytes } from '../../lib/ids/random.ts'
import type { BlobKey } from './blob-store.ts'

const RANDOM_BYTES = 16

/** The one shape of a key: no dots, no second slash, nothing that a path or a URL would read as more than a name. */
const SHAPE = /^proj_[0-7][0-9a-hjkmnp-tv-z]{25}\/[0-9a-f]{32}$/

/** Never the same twice. The first characters of the random part are spread evenly: stores may fan out by them. */
export function newBlobKey(projectId: ProjectId, randomBytes: RandomBytes): BlobKey {
  return `${projectId}/${Buffer.from(randomBytes(RANDOM_BYTES)).toString('hex')}` as BlobKey
}

export function isBlobKey(text: string): text is BlobKey {
  return SHAPE.test(text)
}

/** For stores, which build paths of keys: throws on anything that is not one, as only a bug can bring it here. */
export function checkBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError(`not a blob key: ${JSON.stringify(key)}`)
}
