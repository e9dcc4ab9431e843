import { OperatorError } from '../../lib/operator-error.ts'

const ANSWER_TIMEOUT_MS = 10_000

/** Asks once, before anything is read: an address where nothing listens is worth no patience. Throws OperatorError. */
export async function checkService(url: string): Promise<void> {
  try {
    // Any answer will do: one that is not ready yet is waited for line by line.
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
