import type { RE2JS } from 're2js'
import { type Detect, MOST_MATCHES, type Range } from './detectors.ts'

/** Instructions of a compiled pattern: a match takes at most their number times the length of the text. */
const MOST_INSTRUCTIONS = 2000
/** Of processor, for one text after the first match, microseconds. */
const MOST_SEARCH_US = 300_000

/** Finds own patterns in linear time. The library is loaded with the first. Resolves with why it is refused, a text. */
export async function compilePattern(pattern: string): Promise<Detect | string> {
  const { RE2JS, RE2JSException } = await import('re2js')
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return `It is no regular expression of RE2: ${error.message}.`
  }
  if (compiled.programSize() > MOST_INSTRUCTIONS) return 'It is too large: repeat less, or split it.'
  if (compiled.matcher('').find()) return 'It matches an empty text.'
  return (text) => findAll(compiled, text)
}

/** The whole text if it has too many matches, or if finding them takes long: each may read on to the end in vain. */
function findAll(compiled: RE2JS, text: string): readonly Range[] {
  const ranges: Range[] = []
  const matcher = compiled.matcher(text)
  let began: number | null = null
  while (matcher.find()) {
    began ??= process.threadCpuUsage().user
    if (matcher.end() > matcher.start()) ranges.push([matcher.start(), matcher.end()])
    const isLong = process.threadCpuUsage().user - began > MOST_SEARCH_US
    if (isLong || ranges.length > MOST_MATCHES) return [[0, text.length]]
  }
  return ranges
}
