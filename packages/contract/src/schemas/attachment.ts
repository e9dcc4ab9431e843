import { Type, type Static } from 'typebox'
import {
  closed,
  count,
  idString,
  nullableIdString,
  nullableInteger,
  nullableString,
  printedTime,
} from './primitives.ts'

export const MEDIA_KINDS = ['image', 'audio', 'video', 'sensor', 'file'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** One media artifact of a trace or step. Its bytes are read by `uri`, through the service. */
export const Attachment = closed('A media artifact attached to a trace or a step.', {
  id: idString('med', 'The attachment.'),
  uri: Type.String({
    pattern: '^media://proj_[0-9a-z]{26}/[0-9a-f]{64}$',
    description: 'Names the bytes: `media://<project_id>/<sha256>`.',
  }),
  kind: Type.Enum(MEDIA_KINDS, { description: 'The kind of artifact.' }),
  content_type: Type.String({ description: 'The media type found in the bytes.' }),
  size_bytes: count('Size of the artifact, bytes.'),
  width: nullableInteger({ minimum: 1, description: 'The width of an image in pixels; null if unknown.' }),
  height: nullableInteger({ minimum: 1, description: 'The height of an image in pixels; null if unknown.' }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the bytes, lower-case hex.' }),
  filename: nullableString({ description: 'The name it was uploaded under.' }),
  trace_id: idString('tr', 'The owning trace.'),
  step_id: nullableIdString('st', 'The owning step; null if it belongs to the whole trace.'),
  created_at: printedTime('When it was stored.'),
})
export type Attachment = Static<typeof Attachment>
