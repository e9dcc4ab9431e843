import { Type } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'
import { Attachment } from '../schemas/attachment.ts'
import { MediaUpload, ServeQuery, SignedUrlQuery, UploadTarget } from '../schemas/media.ts'
import { parameters, textOf } from '../schemas/primitives.ts'
import type { Operation, OperationResponse, OperationRequest } from './operation.ts'

const UPLOAD_EXAMPLES = {
  screenshot: {
    summary: 'A screenshot of a step',
    value: {
      trace_id: 'tr_01jv8m0000e00880000000000a',
      step_id: 'st_01jv8m0000e00880000000000a',
      kind: 'image',
      file: '(the bytes of screenshot.png)',
    },
  },
  log: {
    summary: 'A log of the whole trace',
    value: { trace_id: 'tr_01jv8m0000e00880000000000a', kind: 'file', file: '(the bytes of agent.log)' },
  },
} as const satisfies OperationRequest['examples']

const DIRECT_UPLOAD_EXAMPLES = {
  artifact: { summary: 'The artifact', value: '(its bytes)' },
} as const satisfies OperationRequest['examples']

/** Error codes of storing an artifact. */
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
  ETag: text('The quoted SHA-256 of the bytes: a strong validator.'),
  'Cache-Control': { description: 'The bytes of a uri never change.', schema: Type.Literal('private, immutable') },
  'Accept-Ranges': { description: 'The service supports one range of bytes.', schema: Type.Literal('bytes') },
  'Content-Disposition': text(
    '`inline` for images, audio, video and plain text if the declared type matches the type found in the bytes; otherwise `attachment`.',
  ),
  'Content-Security-Policy': text('Forbids the artifact to load, run or send anything.'),
  'X-Content-Type-Options': { description: '`nosniff`.', schema: Type.Literal('nosniff') },
  'Cross-Origin-Resource-Policy': { description: '`same-site`.', schema: Type.Literal('same-site') },
  'Referrer-Policy': { description: '`no-referrer`.', schema: Type.Literal('no-referrer') },
} as const

const conditionalHeaders = {
  'If-None-Match': Type.Optional(textOf('Entity tags that the client has; if one matches, the answer is `304`.')),
}

const NOT_MODIFIED: OperationResponse = {
  description: 'The client already has the artifact.',
  content: {},
  headers: SERVED_HEADERS,
}

export const MEDIA_OPERATIONS = {
  uploadMedia: {
    method: 'POST',
    path: '/v1/media/upload',
    summary: 'Upload an artifact',
    description:
      'Stores a file and attaches it to a trace or one of its steps. The answer is sent when the artifact and ' +
      'the attachment are durable. A project stores the same bytes once. An interrupted upload leaves nothing behind. Empty files are allowed.',
    scopes: ['ingest'],
    request: {
      kind: 'bytes',
      contentType: 'multipart/form-data',
      schema: MediaUpload,
      description: `A form; the file can have at most ${DEFAULT_LIMITS.uploadBytes} bytes. Unknown and repeated fields are refused by name.`,
      examples: UPLOAD_EXAMPLES,
    },
    responses: { 201: { description: 'The artifact is stored.', content: { 'application/json': Attachment } } },
    errors: [...STORING_ERRORS, 'payload_too_large', 'malformed_multipart', 'unsupported_media_type'],
  },
  serveMedia: {
    method: 'GET',
    path: '/v1/media/serve',
    summary: 'Read an artifact',
    description:
      'Streams the bytes with headers that make them safe in a browser. One range is supported, including a suffix range; for several ranges the answer is the whole artifact.',
    scopes: ['read'],
    query: ServeQuery,
    headers: Type.Object({
      Range: Type.Optional(Type.String({ description: 'One range of bytes.', examples: ['bytes=0-1023', 'bytes=-8'] })),
      'If-Range': Type.Optional(
        textOf('The entity tag that `Range` applies to; if it differs, the answer is the whole artifact.'),
      ),
      ...conditionalHeaders,
    }),
    responses: {
      200: { description: 'The whole artifact.', content: { '*/*': Type.Unsafe({}) }, headers: SERVED_HEADERS },
      206: {
        description: 'The range.',
        content: { '*/*': Type.Unsafe({}) },
        headers: { ...SERVED_HEADERS, 'Content-Range': text('The range and the total size.') },
      },
      304: NOT_MODIFIED,
    },
    errors: ['not_found', 'range_not_satisfiable'],
  },
  headMedia: {
    method: 'HEAD',
    path: '/v1/media/serve',
    summary: 'Read the headers of an artifact',
    description: 'The headers of the whole artifact, without its bytes.',
    scopes: ['read'],
    query: ServeQuery,
    headers: Type.Object(conditionalHeaders),
    responses: {
      200: { description: 'The artifact exists.', content: {}, headers: SERVED_HEADERS },
      304: NOT_MODIFIED,
    },
    errors: ['not_found'],
  },
  signUpload: {
    method: 'GET',
    path: '/v1/media/signed-url',
    summary: 'Get a signed URL for a direct upload',
    description:
      'A URL that accepts one upload within five minutes, with the content type, size and SHA-256 given here. For trusted backends only: a request that looks like a browser request is refused. ' +
      'The service hashes the bytes before it creates the attachment; bytes that do not match are refused and not stored.',
    scopes: ['media:sign'],
    admission: 'key',
    query: SignedUrlQuery,
    responses: { 200: { description: 'The URL.', content: { 'application/json': UploadTarget } } },
    errors: ['browser_refused', 'not_found', 'disk_full', 'storage_unavailable'],
  },
  putDirectUpload: {
    method: 'PUT',
    path: '/v1/media/direct/:token',
    summary: 'Upload to a signed URL',
    description:
      'Send only the bytes, with the headers that came with the URL. No API key is needed. The URL accepts one upload at a time and expires with the first that succeeds.',
    scopes: null,
    admission: 'signed_url',
    pathParameters: parameters({ token: textOf('The signed token.') }),
    request: {
      kind: 'bytes',
      contentType: '*/*',
      schema: Type.Unsafe({}),
      description: 'The artifact.',
      examples: DIRECT_UPLOAD_EXAMPLES,
    },
    responses: { 201: { description: 'The artifact is stored.', content: { 'application/json': Attachment } } },
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
