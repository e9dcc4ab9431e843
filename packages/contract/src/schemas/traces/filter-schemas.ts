import { Type, type TOptional, type TSchema, type TUnsafe } from 'typebox'
import { FILTER_VALUES_MAX } from '../../limits.ts'
import {
  type FilterName,
  NO_CLUSTER,
  ownFilter,
  takesMany,
  type TimeFilterName,
  TRACE_FILTERS,
  type WireFilters,
} from '../../trace-filters.ts'
import { flagOf, idPattern, requestTime, type TRequestTime } from '../primitives.ts'

type FilterSchemas<Name extends FilterName> = {
  [N in Name]: TOptional<N extends TimeFilterName ? TRequestTime : TUnsafe<NonNullable<WireFilters[N]>>>
}

/** These filters as optional properties of a query or body. `note` is appended to each description. */
export function filterSchemas<Name extends FilterName>(names: readonly Name[], note = ''): FilterSchemas<Name> {
  const entries = names.map((name) => [name, Type.Optional(toSchema(name, note))])
  return Object.fromEntries(entries) as FilterSchemas<Name>
}

function toSchema(name: FilterName, note: string): TSchema {
  const filter = TRACE_FILTERS[name]
  const several = takesMany(name)
    ? ` Can have up to ${FILTER_VALUES_MAX} values: ${ownFilter(name) === name ? 'any' : 'none'} of them.`
    : ''
  const description = filter.description + several + note
  switch (filter.type) {
    case 'choice': {
      const one = { type: 'string', enum: filter.choices }
      const list = { type: 'array', items: one, minItems: 1, maxItems: FILTER_VALUES_MAX }
      return Type.Unsafe({
        ...(takesMany(name) ? { type: ['string', 'array'], anyOf: [one, list] } : one),
        description,
      })
    }
    case 'boolean':
      return flagOf(description)
    case 'number':
      return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
    case 'cluster':
      return Type.String({ pattern: `^${NO_CLUSTER}$|${idPattern('clu')}`, description })
    case 'text':
      return takesMany(name)
        ? Type.Unsafe({ ...oneOrMore({ minLength: 1, maxLength: filter.maxLength }), description })
        : Type.String({ minLength: 1, maxLength: filter.maxLength, description })
    case 'texts':
      return Type.Unsafe({
        type: 'object',
        propertyNames: { minLength: 1, maxLength: filter.maxLength },
        additionalProperties: oneOrMore({ minLength: 1, maxLength: filter.maxLength }),
        minProperties: 1,
        maxProperties: FILTER_VALUES_MAX,
        description,
      })
    case 'value':
      return Type.Number({ description })
    case 'time':
      return requestTime(description)
    case 'metric':
      return Type.String({ minLength: 1, maxLength: filter.maxLength, description })
  }
}

/** Keywords of texts do not apply to lists, nor the other way round. A list of a query is a repeated parameter. */
function oneOrMore(text: { readonly minLength: number; readonly maxLength: number }) {
  return {
    type: ['string', 'array'],
    ...text,
    items: { type: 'string', ...text },
    minItems: 1,
    maxItems: FILTER_VALUES_MAX,
  }
}
