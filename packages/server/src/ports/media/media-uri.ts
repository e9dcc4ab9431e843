import { isId, type ProjectId } from '@spoor/contract/ids'

export interface MediaName {
  readonly projectId: ProjectId
  /** Lower-case hex. */
  readonly sha256: string
}

const SHAPE = /^media:\/\/([^/]+)\/([0-9a-f]{64})$/

/** Null for anything that is not exactly what `toMediaUri` makes. */
export function parseMediaUri(uri: string): MediaName | null {
  const [, projectId, sha256] = SHAPE.exec(uri) ?? []
  return sha256 !== undefined && isId('proj', projectId) ? { projectId, sha256 } : null
}

export function toMediaUri({ projectId, sha256 }: MediaName): string {
  return `media://${projectId}/${sha256}`
}
