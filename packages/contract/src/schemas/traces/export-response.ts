import { Type } from 'typebox'

/** `ExportTraceServiceResponse` of OTLP in JSON. */
export const ExportResponse = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object(
        {
          rejectedSpans: Type.Optional(
            Type.String({ description: 'How many spans were refused, as digits. Do not send them again.' }),
          ),
          errorMessage: Type.Optional(Type.String({ description: 'The first reasons.' })),
        },
        { additionalProperties: false, description: 'Present if a part of the request was refused for good.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'The answer to an export of spans.' },
)
