/** The parts of a step that say why it failed, and what was answered. */
export interface EndedStep {
  readonly failed: boolean
  /** Class of the error, `TimeoutError`; null when the client named none. */
  readonly errorType: string | null
  readonly errorMessage: string | null
  readonly messages: readonly { readonly role: string; readonly texts: readonly string[] }[]
}

const READ_LENGTH = 65_536
const ANSWER_ROLES: ReadonlySet<string> = new Set(['assistant', 'ai', 'model'])

/**
 * What went wrong in a failed run: the errors of its first and its last failed step; without any, its last answer. What
 * differs between two runs that failed alike is left out: addresses, paths, and words with digits but statuses of HTTP.
 */
export function causesOf(steps: readonly EndedStep[]): readonly string[] {
  const failed = steps
    .filter((step) => step.failed)
    .map(errorOf)
    .filter((text) => text !== '')
  if (failed.length > 0) return [...new Set([failed[0]!, failed.at(-1)!])]
  const messages = steps.flatMap((step) => step.messages)
  const answer = messages.findLast(({ role, texts }) => ANSWER_ROLES.has(role.toLowerCase()) && texts.join('').trim())
  return answer === undefined ? [] : [withoutDetails(answer.texts.join('\n'))]
}

function errorOf({ errorType, errorMessage }: EndedStep): string {
  return withoutDetails([errorType, errorMessage].filter((part) => part !== null).join(': '))
}

const DETAIL =
  /(?<!\w)\w+:\/\/\S+|(?<![\w.~-])(?:\p{L}:)?(?:[\w.~-]*[\\/]){2,}[\w.~#@-]*|(?<![\p{L}\p{N}_#.@-])[\p{L}\p{N}_#.@-]*\d[\p{L}\p{N}_#.@-]*/gu
/** As it stands in a sentence. */
const HTTP_STATUS = /^[45]\d\d[.-]?$/

function withoutDetails(text: string): string {
  const plain = text.slice(0, READ_LENGTH).replaceAll(DETAIL, (detail) => (HTTP_STATUS.test(detail) ? detail : ' '))
  return plain.replaceAll(/\s+/g, ' ').trim()
}
