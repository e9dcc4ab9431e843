import type { Page } from 'playwright-core'

export interface Finger {
  readonly x: number
  readonly y: number
}

/** Touches the page with fingers. Each of `ways` is the path of one finger; all have the same length. */
export async function touch(page: Page, ways: readonly (readonly Finger[])[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const steps = ways[0]?.length ?? 0
  for (let step = 0; step < steps; step++) {
    const touchPoints = ways.map((way, id) => ({ ...(way[step] as Finger), id }))
    await session.send('Input.dispatchTouchEvent', { type: step === 0 ? 'touchStart' : 'touchMove', touchPoints })
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await session.detach()
}

/** A path between two places in even steps. */
export function straight(from: Finger, to: Finger, steps = 6): Finger[] {
  return Array.from({ length: steps + 1 }, (_, step) => ({
    x: from.x + ((to.x - from.x) * step) / steps,
    y: from.y + ((to.y - from.y) * step) / steps,
  }))
}
