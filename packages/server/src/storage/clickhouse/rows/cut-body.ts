import { isAscii } from 'node:buffer'

/** Between the texts of a step in the column `text`. No word contains it. */
export const BETWEEN_TEXTS = '\x1f'
/** Around the number of a text, as JSON.stringify prints it. JSON has no such characters, except escaped. */
const AS_PRINTED = '\x01'
/** As many programs print it: in ASCII alone. */
const IN_ASCII = '\x02'
const CUT = new RegExp(`([${AS_PRINTED}${IN_ASCII}])(\\d+)\\1`, 'g')
/** Shorter texts take as much as what would stand in their place, UTF-16 code units. */
const LEAST_LENGTH = 24
/** Larger bodies stay uncut: cutting is one piece of work, and most of their content is no text. Bytes. */
const MOST_BYTES = 1024 * 1024
/** A text that is not in the body, such as a name, costs a search through it. */
const MOST_MISSED = 4

/** The body with numbers for its long texts, in this order; null without any. `printed`: JSON of texts, where known. */
export function cutBody(body: Buffer, texts: readonly string[], printed: readonly string[]): string | null {
  if (body.length > MOST_BYTES || texts.some((text) => text.includes(BETWEEN_TEXTS))) return null
  const whole = body.toString()
  let [cut, from, missed] = ['', 0, 0]
  for (let number = 0; number < texts.length && missed <= MOST_MISSED; number++) {
    const text = texts[number]!
    if (text.length < LEAST_LENGTH || !text.isWellFormed()) continue
    const asPrinted = printed[number] ?? JSON.stringify(text)
    const sent = whole.includes(asPrinted, from) || !isAscii(body) ? asPrinted : inAscii(asPrinted)
    const start = whole.indexOf(sent, from)
    if (start === -1) {
      missed += 1
      continue
    }
    const mark = sent === asPrinted ? AS_PRINTED : IN_ASCII
    cut += `${whole.slice(from, start)}${mark}${number}${mark}`
    from = start + sent.length
  }
  return from === 0 ? null : cut + whole.slice(from)
}

/** `text` is the column of the same step. */
export function wholeBody(body: string, text: string): string {
  if (!body.includes(AS_PRINTED) && !body.includes(IN_ASCII)) return body
  const texts = text.split(BETWEEN_TEXTS)
  return body.replace(CUT, (_, mark: string, number: string) => {
    const printed = JSON.stringify(texts[Number(number)])
    return mark === AS_PRINTED ? printed : inAscii(printed)
  })
}

function inAscii(printed: string): string {
  return printed.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const NOT_ASCII = /[\x80-\uffff]/g
