import { ERRORS, type ErrorCode } from '@spoor/contract/errors'

/** Whether an answer says that nothing was written, in a run that makes such answers right. */
export function isRefused(
  { mayRefuse }: { readonly mayRefuse?: (status: number) => boolean },
  { status }: { readonly status: number | null },
): boolean {
  return status !== null && mayRefuse !== undefined && mayRefuse(status)
}

/** The status that a whole request would have, of the code of one line. */
export function statusOf(code: string): number | null {
  return code in ERRORS ? ERRORS[code as ErrorCode].status : null
}
