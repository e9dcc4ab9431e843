import { ERRORS, type ErrorCode } from '@spoor/contract/errors'

/** Whether a response says that nothing was written, in a run where that is allowed. */
export function isRefused(
  { mayRefuse }: { readonly mayRefuse?: (status: number) => boolean },
  { status }: { readonly status: number | null },
): boolean {
  return status !== null && mayRefuse !== undefined && mayRefuse(status)
}

/** The status that a whole request would have, from the code of one line. */
export function statusOf(code: string): number | null {
  return code in ERRORS ? ERRORS[code as ErrorCode].status : null
}
