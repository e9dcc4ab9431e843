import type { FeedFilter } from './feed-filters.ts'
import { ARGUMENT_FIELDS, feedSearch, FILTER_FIELDS } from './search.ts'
import { filterType } from '@spoor/contract/trace-filters'

/** `name=value` or `name="a value"`. */
const PAIR = /([^\s=]+)=(?:"([^"]*)"|(\S+))/g

/**
 * The filters of a text such as `tool=search argument.city="New York"`, with the names of the API. Null if a part of it
 * is none, or if a filter does not take its value.
 */
export function typedFilters(text: string): readonly FeedFilter[] | null {
  if (text.replaceAll(PAIR, '').trim() !== '') return null
  const filters = [...text.matchAll(PAIR)].map(([, name = '', quoted, bare = '']) => toFilter(name, quoted ?? bare))
  return filters.length === 0 || filters.includes(null) ? null : (filters as readonly FeedFilter[])
}

function toFilter(name: string, value: string): FeedFilter | null {
  if (value === '') return null
  const dot = name.indexOf('.')
  const [head, key] = [name.slice(0, dot), name.slice(dot + 1)]
  if (dot > 0 && key !== '') {
    const of = ARGUMENT_FIELDS.find((each) => each === head)
    if (of !== undefined) return { kind: 'argument', field: of, key, value }
    return head === 'metadata' ? { kind: 'metadata', key, value } : null
  }
  const field = FILTER_FIELDS.find((each) => each === name)
  if (field === undefined) return null
  const isText = ['text', 'choice', 'cluster', 'metric', 'time'].includes(filterType(field))
  const given = isText ? value : filterType(field) === 'boolean' ? { true: true, false: false }[value] : Number(value)
  return feedSearch({ [field]: given })[field] === undefined ? null : { kind: 'field', field, value }
}
