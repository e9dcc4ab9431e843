import { isRawNumber } from '@spoor/payloads/exact-json'
import { isFields, isList } from '@spoor/payloads/json'
import type { ToolCall } from '@spoor/payloads/tool-calls'
import { part } from './terms.ts'

/** Of one step: an argument may be a whole document. */
const MOST_ARGUMENTS = 100
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i

/**
 * The terms of arguments: the path of keys with dots, a NUL, and the value as text. The elements of a list have the
 * path of the list.
 */
export function argumentTerms(calls: readonly ToolCall[]): readonly string[] {
  const terms = new Set<string>()
  const collect = (value: unknown, path: string) => {
    if (terms.size === MOST_ARGUMENTS) return
    if (isList(value)) for (const element of value) collect(element, path)
    else if (isFields(value) && !isRawNumber(value))
      for (const [key, member] of Object.entries(value)) collect(member, path === '' ? key : `${path}.${key}`)
    else if (path !== '' && value !== null && value !== undefined)
      terms.add(term(path, isRawNumber(value) ? value.rawJSON : String(value as string | number | boolean)))
  }
  for (const { input } of calls) collect(input, '')
  return [...terms]
}

/** The terms by which a filter finds an argument; a number is found in any notation. */
export function argumentFilterTerms(path: string, value: string): readonly string[] {
  return [...new Set(NUMBER.test(value) ? [value, String(Number(value))] : [value])].map((text) => term(path, text))
}

function term(path: string, text: string): string {
  return `${part(path)}\0${part(text.toWellFormed())}`
}
