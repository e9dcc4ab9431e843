import type { Step, StepPage } from '@spoor/contract/schemas/traces/step'
import type { Api } from '../api.ts'

/** The API also limits the bytes of a page. */
const PAGE_STEPS = 200

/** The steps of a trace from `position` on. Pages before it are read too, because lists begin at the first step. */
export async function* stepsFrom(api: Api, traceId: string, position: number): AsyncGenerator<Step> {
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ limit: String(PAGE_STEPS), ...(cursor === null ? {} : { cursor }) })
    const page: StepPage = await api.get<StepPage>(`/v1/traces/${traceId}/steps`, query)
    for (const step of page.steps) if (step.position >= position) yield step
    cursor = page.next_cursor
  } while (cursor !== null)
}
