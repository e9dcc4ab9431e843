import type { ProjectId } from '@spoor/contract/ids'
import { toMediaUri } from '../../../ports/media/media-uri.ts'
import type { Value } from '../wire/span.ts'

/** What SDKs write in place of bytes that they have uploaded. The service has named the bytes by their SHA-256. */
const REFERENCE = /@@@langfuseMedia:[^@]*?\bid=([0-9a-f]{64})\b[^@]*@@@/g

/** The value with the uris of media in place of references: the same one if it has none, as nearly always. */
export function withMedia(projectId: ProjectId, value: Value): Value {
  if (!hasReference(value)) return value
  if (typeof value === 'string')
    return value.replaceAll(REFERENCE, (_reference, sha256: string) => toMediaUri({ projectId, sha256 }))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Value[]).map((inner) => withMedia(projectId, inner))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withMedia(projectId, inner as Value)]))
}

function hasReference(value: Value): boolean {
  if (typeof value === 'string') return value.includes('@@@langfuseMedia:')
  return typeof value === 'object' && value !== null && Object.values(value).some(hasReference)
}
