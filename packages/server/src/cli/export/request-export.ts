import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Fields, isList, parseJson } from '@spoor/payloads/json'
import { OperatorError } from '../../lib/operator-error.ts'

/** No byte came for this long. */
const SILENCE_MS = 120_000
const MOST_PROBLEM_BYTES = 64 * 1024
/** The same request may succeed later. */
const PASSING: ReadonlySet<number | undefined> = new Set([408, 425, 429, 500, 502, 503, 504])

/** The connection or the service failed; the export can be tried again. */
export class BrokenExport extends Error {
  override readonly name = 'BrokenExport'
}

/**
 * The answer with all rows. Its bytes throw when the connection breaks. Throws BrokenExport, and OperatorError for a
 * request that is refused.
 */
export async function requestExport(url: string, key: string): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp
    const request = send(url, { headers: { 'x-api-key': key } }, resolve)
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error(`no byte came for ${SILENCE_MS / 1000} s`)))
    request.on('error', (error) => reject(new BrokenExport(error.message, { cause: error })))
    request.end()
  })
  if (answer.statusCode === 200) return answer
  const problem = `${answer.statusCode}: ${await readProblem(answer)}`
  if (PASSING.has(answer.statusCode)) throw new BrokenExport(problem)
  throw new OperatorError(`The service refused the export: ${problem}`)
}

async function readProblem(answer: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk as string
      if (text.length > MOST_PROBLEM_BYTES) break
    }
  } catch (error) {
    throw new BrokenExport(error instanceof Error ? error.message : String(error), { cause: error })
  }
  const { detail, errors } = parseJson(text) as Fields
  const details = isList(errors) ? errors.map((error) => (error as Fields | null)?.['detail']) : []
  const said = [detail, ...details].filter((each) => typeof each === 'string')
  // A proxy answers with a page.
  return said.length === 0 ? text : said.join(' ')
}
