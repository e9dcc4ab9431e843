import { Type } from 'typebox'
import { closed, textOf } from '../primitives.ts'

/** `ExportTraceServiceResponse` of OTLP in JSON. */
export const ExportResponse = closed('The answer to an export of spans.', {
  partialSuccess: Type.Optional(
    closed('Present if a part of the request was refused for good.', {
      rejectedSpans: Type.Optional(textOf('How many spans were refused, as digits. Do not send them again.')),
      errorMessage: Type.Optional(textOf('The first reasons.')),
    }),
  ),
})
