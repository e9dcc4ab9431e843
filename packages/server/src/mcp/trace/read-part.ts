import { type Api, ToolError } from '../api.ts'
import { firstCharacters } from '../compact.ts'
import { stepsFrom } from './read-steps.ts'
import { stepTexts } from './step-texts.ts'

export interface TextPlace {
  /** Null: of the trace itself. */
  readonly step: number | null
  readonly part: string
}

/** A piece of a long text from `offset` on. */
export async function readPart(api: Api, traceId: string, place: TextPlace, offset: number, mostChars: number) {
  const text = place.step === null ? null : await textOfStep(api, traceId, place.step, place.part)
  if (text === null) throw new ToolError(`not_found: Only a step has the part "${place.part}"; name its step.`)
  return pieceOf(text, { id: traceId, ...place }, offset, mostChars)
}

async function textOfStep(api: Api, traceId: string, position: number, part: string): Promise<string> {
  for await (const step of stepsFrom(api, traceId, position)) {
    const texts = stepTexts(step)
    const found = texts.find((one) => one.part === part)
    if (found !== undefined) return found.text
    const has = texts.length === 0 ? 'none' : texts.map((one) => one.part).join(', ')
    throw new ToolError(`not_found: Step ${position} has no part "${part}"; it has ${has.slice(0, 500)}.`)
  }
  throw new ToolError(`not_found: The trace has no step ${position}.`)
}

/** As much as fits into `mostChars` of JSON, in which some characters take more than one. */
export function pieceOf(text: string, head: object, from: number, mostChars: number): Record<string, unknown> {
  // Within a surrogate pair it begins with the pair.
  const offset = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(Math.max(0, from - 1), from + 1)) ? from - 1 : from
  const piece = (length: number) => {
    const shown = firstCharacters(text.slice(offset), length)
    const end = offset + shown.length
    const next = end < text.length ? { next_offset: end } : {}
    return { ...head, chars: text.length, offset, recorded: { text: shown }, ...next }
  }
  let length = mostChars
  while (length > 1 && JSON.stringify(piece(length)).length > mostChars) length = Math.floor(length * 0.9)
  return piece(length)
}
