import type { Locator } from 'playwright-core'
import { eventually } from './eventually.ts'

type Place = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>

/** Where an element is shown. An element that is drawn anew has no box for a moment. */
export async function placeOf(element: Locator): Promise<Place> {
  let place: Place | null = null
  await eventually('the element is shown', async () => (place = await element.boundingBox()) !== null)
  return place!
}
