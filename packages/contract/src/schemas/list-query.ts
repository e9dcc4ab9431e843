import { Type, type Static } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'

/** The query parameters of every list. Values are described by meaning; on the wire all of them are text. */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: DEFAULT_LIMITS.listLimitDefault,
        description: `Rows of a page. More than ${DEFAULT_LIMITS.listLimitMax} is lowered to ${DEFAULT_LIMITS.listLimitMax}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({ minLength: 1, description: '`next_cursor` of the page before, with the same other parameters.' }),
    ),
  },
  { additionalProperties: false },
)
export type ListQuery = Static<typeof ListQuery>
