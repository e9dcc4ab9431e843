import { Type, type Static } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'
import { optional, parameters } from './primitives.ts'

/** The query parameters of every list. Types describe the meaning; on the wire all values are text. */
export const ListQuery = parameters(
  optional({
    limit: Type.Integer({
      minimum: 1,
      default: DEFAULT_LIMITS.listLimitDefault,
      description: `The maximum number of rows. A value above ${DEFAULT_LIMITS.listLimitMax} is lowered to ${DEFAULT_LIMITS.listLimitMax}.`,
    }),
    cursor: Type.String({
      minLength: 1,
      description: '`next_cursor` of the previous page. All other parameters must be the same.',
    }),
  }),
)
export type ListQuery = Static<typeof ListQuery>
