import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../limits.ts'
import { MEDIA_KINDS } from './attachment.ts'
import { closed, idParameter, parameters, printedTime, traceParameter } from './primitives.ts'

export const SHA256_PATTERN = '^[0-9a-f]{64}$'
/** Names media: the project and the SHA-256 of the bytes. */
export const MEDIA_URI_PATTERN = '^media://proj_[0-7][0-9a-hjkmnp-tv-z]{25}/[0-9a-f]{64}$'
/** `type/subtype` of RFC 6838, without parameters. */
export const CONTENT_TYPE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$'

const traceId = traceParameter('The owning trace. It must exist.')
const stepId = Type.Optional(
  idParameter('st', 'The owning step of that trace; if omitted, the artifact belongs to the whole trace.'),
)
const kind = Type.Enum(MEDIA_KINDS, {
  description: 'The kind of artifact. Display and security depend on the content type found in the bytes, not on this.',
})

/** The form of an upload. */
export const MediaUpload = closed('An artifact and its owner; the parts can have any order.', {
  trace_id: traceId,
  step_id: stepId,
  kind,
  file: Type.String({
    contentMediaType: 'application/octet-stream',
    description: 'The artifact, in exactly one part with its file name and content type.',
  }),
})
export type MediaUpload = Static<typeof MediaUpload>

export const ServeQuery = parameters({
  uri: Type.String({
    title: 'media uri: `media://<project_id>/<sha256>`',
    pattern: MEDIA_URI_PATTERN,
    description: 'The `uri` from the answer to the upload, URL-encoded.',
    examples: [`media://proj_01jv8m0000e00880000000000a/${'0'.repeat(64)}`],
  }),
})
export type ServeQuery = Static<typeof ServeQuery>

export const SignedUrlQuery = parameters({
  trace_id: traceId,
  step_id: stepId,
  kind,
  content_type: Type.String({
    pattern: CONTENT_TYPE_PATTERN,
    description: 'The media type of the artifact, without parameters. The upload must have this `Content-Type`.',
  }),
  size_bytes: Type.Integer({ minimum: 0, description: 'Exact size of the artifact, bytes.' }),
  sha256: Type.String({ pattern: SHA256_PATTERN, description: 'SHA-256 of the bytes, lower-case hex.' }),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_LENGTH, description: 'The file name to show.' })),
})
export type SignedUrlQuery = Static<typeof SignedUrlQuery>

/** Where and how to send the bytes. */
export const UploadTarget = closed('A signed URL for one upload.', {
  url: Type.String({ format: 'uri', description: 'Accepts one upload, without an API key.' }),
  method: Type.Literal('PUT', { description: 'Always `PUT`.' }),
  headers: Type.Record(Type.String(), Type.String(), { description: 'Headers that the upload must carry.' }),
  uri: Type.String({ pattern: MEDIA_URI_PATTERN, description: 'Names the media after the upload.' }),
  expires_at: printedTime('The upload must begin before this time.'),
})
export type UploadTarget = Static<typeof UploadTarget>
