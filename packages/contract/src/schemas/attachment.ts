import { Type, type Static } from 'typebox'
import * as schema from './primitives.ts'

export const MEDIA_KINDS = ['image', 'audio', 'video', 'sensor', 'file'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** One media artifact of a trace or step. Its bytes are read by `uri`, through the service. */
export const Attachment = schema.closed('A media artifact attached to a trace or a step.', {
  id: schema.idString('med', 'The attachment.'),
  uri: Type.String({
    pattern: '^media://proj_[0-9a-z]{26}/[0-9a-f]{64}$',
    description: 'Names the bytes: `media://<project_id>/<sha256>`.',
  }),
  kind: Type.Enum(MEDIA_KINDS, { description: 'The kind of artifact.' }),
  content_type: schema.textOf('The media type found in the bytes.'),
  size_bytes: schema.count('Size of the artifact, bytes.'),
  width: schema.nullableInteger({ minimum: 1, description: 'The width of an image in pixels; null if unknown.' }),
  height: schema.nullableInteger({ minimum: 1, description: 'The height of an image in pixels; null if unknown.' }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the bytes, lower-case hex.' }),
  filename: schema.nullableText('The name it was uploaded under.'),
  trace_id: schema.idString('tr', 'The owning trace.'),
  step_id: schema.nullableIdString('st', 'The owning step; null if it belongs to the whole trace.'),
  created_at: schema.printedTime('When it was stored.'),
})
export type Attachment = Static<typeof Attachment>
