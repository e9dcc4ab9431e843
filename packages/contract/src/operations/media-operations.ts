import { Type } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'
import { Attachment } from '../schemas/attachment.ts'
import { MediaUpload, ServeQuery, SignedUrlQuery, UploadTarget } from '../schemas/media.ts'
import { DIRECT_UPLOAD_EXAMPLES, UPLOAD_EXAMPLES } from './media-examples.ts'
import type { Operation, OperationResponse } from './operation.ts'

/** What storing an artifact can answer. */
const STORING_ERRORS = [
  'not_found',
  'request_timeout',
  'validation_failed',
  'queue_full',
  'disk_full',
  'storage_unavailable',
] as const

const text = (description: string) => ({ description, schema: Type.String() })

const SERVED_HEADERS = {
  ETag: text('The SHA-256 of the bytes, quoted: a strong validator.'),
  'Cache-Control': { description: 'The bytes of a uri never change.', schema: Type.Literal('private, immutable') },
  'Accept-Ranges': { description: 'One range of bytes is served.', schema: Type.Literal('bytes') },
  'Content-Disposition': text(
    '`inline` for images, audio, video and plain text whose claimed type is the one found in the bytes; else `attachment`.',
  ),
  'Content-Security-Policy': text('Nothing in the artifact may load, run or send anything.'),
  'X-Content-Type-Options': { description: '`nosniff`.', schema: Type.Literal('nosniff') },
  'Cross-Origin-Resource-Policy': { description: '`same-site`.', schema: Type.Literal('same-site') },
  'Referrer-Policy': { description: '`no-referrer`.', schema: Type.Literal('no-referrer') },
} as const

const conditionalHeaders = {
  'If-None-Match': Type.Optional(
    Type.String({ description: 'Entity tags that the client has; one that matches answers `304`.' }),
  ),
}

const NOT_MODIFIED: OperationResponse = {
  description: 'The client has it already.',
  content: {},
  headers: SERVED_HEADERS,
}

export const MEDIA_OPERATIONS = {
  uploadMedia: {
    method: 'POST',
    path: '/v1/media/upload',
    tag: 'media',
    summary: 'Upload an artifact',
    description:
      'Stores a file and attaches it to a trace or one of its steps. The bytes are streamed to the store while they are hashed; the answer is sent when artifact and ' +
      'attachment are durable. The same bytes are stored once in a project. A broken upload leaves nothing behind. An empty file is taken.',
    scopes: ['ingest'],
    request: {
      kind: 'bytes',
      contentType: 'multipart/form-data',
      schema: MediaUpload,
      description: `A form; the file has at most ${DEFAULT_LIMITS.uploadBytes} bytes. Unknown and repeated fields are refused by name.`,
      examples: UPLOAD_EXAMPLES,
    },
    responses: { 201: { description: 'It is stored.', content: { 'application/json': Attachment } } },
    errors: [...STORING_ERRORS, 'payload_too_large', 'malformed_multipart', 'unsupported_media_type'],
  },
  serveMedia: {
    method: 'GET',
    path: '/v1/media/serve',
    tag: 'media',
    summary: 'Read an artifact',
    description:
      'Streams the bytes, safe for browsers. One range of bytes is served, also a suffix range; several at once are answered with the whole.',
    scopes: ['read'],
    query: ServeQuery,
    headers: Type.Object({
      Range: Type.Optional(Type.String({ description: 'One range of bytes.', examples: ['bytes=0-1023', 'bytes=-8'] })),
      'If-Range': Type.Optional(
        Type.String({ description: 'The entity tag that `Range` is about; another one answers the whole.' }),
      ),
      ...conditionalHeaders,
    }),
    responses: {
      200: { description: 'The whole artifact.', content: { '*/*': Type.Unsafe({}) }, headers: SERVED_HEADERS },
      206: {
        description: 'The range.',
        content: { '*/*': Type.Unsafe({}) },
        headers: { ...SERVED_HEADERS, 'Content-Range': text('Which bytes these are, of how many.') },
      },
      304: NOT_MODIFIED,
    },
    errors: ['not_found', 'validation_failed', 'range_not_satisfiable'],
  },
  headMedia: {
    method: 'HEAD',
    path: '/v1/media/serve',
    tag: 'media',
    summary: 'Ask about an artifact',
    description: 'The headers of the whole artifact, without its bytes.',
    scopes: ['read'],
    query: ServeQuery,
    headers: Type.Object(conditionalHeaders),
    responses: {
      200: { description: 'It is there.', content: {}, headers: SERVED_HEADERS },
      304: NOT_MODIFIED,
    },
    errors: ['not_found', 'validation_failed'],
  },
  signUpload: {
    method: 'GET',
    path: '/v1/media/signed-url',
    tag: 'media',
    summary: 'Get a signed URL for a direct upload',
    description:
      'A URL that takes one upload for five minutes, bound to the type, the length and the SHA-256 given here. For trusted backends: refused when the request looks like a browser’s. ' +
      'The service hashes what arrives before the attachment counts; anything else than announced is refused and not kept.',
    scopes: ['media:sign'],
    admission: 'key',
    query: SignedUrlQuery,
    responses: { 200: { description: 'The URL.', content: { 'application/json': UploadTarget } } },
    errors: ['browser_refused', 'not_found', 'validation_failed', 'disk_full', 'storage_unavailable'],
  },
  putDirectUpload: {
    method: 'PUT',
    path: '/v1/media/direct/:token',
    tag: 'media',
    summary: 'Upload to a signed URL',
    description:
      'The bytes alone, with the headers that came with the URL. Needs no API key. The URL is used up by the upload that succeeds, and takes one at a time.',
    scopes: null,
    admission: 'signed_url',
    pathParameters: Type.Object(
      { token: Type.String({ description: 'What the service signed.' }) },
      { additionalProperties: false },
    ),
    request: {
      kind: 'bytes',
      contentType: '*/*',
      schema: Type.Unsafe({}),
      description: 'The artifact.',
      examples: DIRECT_UPLOAD_EXAMPLES,
    },
    responses: { 201: { description: 'It is stored.', content: { 'application/json': Attachment } } },
    errors: [
      'upload_url_invalid',
      'upload_url_expired',
      'upload_url_used',
      'upload_in_progress',
      'upload_mismatch',
      'unsupported_media_type',
      ...STORING_ERRORS,
    ],
  },
} as const satisfies Record<string, Operation>
