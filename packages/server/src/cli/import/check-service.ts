import { OperatorError } from '../../lib/operator-error.ts'

const ANSWER_TIMEOUT_MS = 10_000

/**
 * Sends one request before anything is read: retrying makes no sense if nothing listens at the address. Throws
 * OperatorError.
 */
export async function checkService(url: string): Promise<void> {
  try {
    // Any answer is enough: if the service is not ready yet, each line waits for it.
    const answer = await fetch(new URL('healthz', url.endsWith('/') ? url : `${url}/`), {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    await answer.arrayBuffer()
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new OperatorError(
      `No service answers at ${url}${code}. Start it with npm start, or say where it is with --url or SPOOR_URL.`,
      { cause: error },
    )
  }
}
