import type { GivenName } from '@spoor/clustering/naming/cluster-namer'
import { invalidAnswer } from './endpoint-failures.ts'
import { fieldOf, parseAnswer } from './json-answer.ts'

const LABEL_LENGTH = 80
const DESCRIPTION_LENGTH = 300

/**
 * The name in an answer of a chat: a JSON object with `label` and `description`, whatever the model wrote around it.
 * Throws EndpointFailure for anything else.
 */
export function parseName(body: string): GivenName {
  const content = contentOf(body)
  if (content === null) throw invalidAnswer('naming', 'answered without a message')
  const object = objectIn(content)
  if (object === undefined) throw invalidAnswer('naming', 'answered with a message that has no JSON object')
  return {
    label: lineOf(fieldOf(object, 'label'), 'label', LABEL_LENGTH),
    description: lineOf(fieldOf(object, 'description'), 'description', DESCRIPTION_LENGTH),
  }
}

function contentOf(body: string): string | null {
  const content = fieldOf(fieldOf(fieldOf(fieldOf(parseAnswer(body), 'choices'), 0), 'message'), 'content')
  return typeof content === 'string' ? content : null
}

/** Models that reason aloud do so before it; others put it into a code block. */
function objectIn(content: string): unknown {
  const said = content.slice(content.lastIndexOf('</think>') + 1)
  return parseAnswer(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1))
}

function lineOf(value: unknown, field: string, most: number): string {
  const line = typeof value === 'string' ? value.trim() : ''
  if (!HAS_WORDS.test(line)) throw invalidAnswer('naming', `answered with a blank ${field}`)
  if (line.length > most) throw invalidAnswer('naming', `answered with a ${field} of more than ${most} characters`)
  if (NO_PLAIN_TEXT.test(line))
    throw invalidAnswer('naming', `answered with a ${field} that is not one line of plain text`)
  return line
}

const HAS_WORDS = /\p{L}/u
/** Control and format characters (direction marks among them), private ones, lone surrogates, line ends. */
const NO_PLAIN_TEXT = /[\p{C}\p{Zl}\p{Zp}]/u
