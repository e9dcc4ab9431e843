/**
 * Evaluated in a page of the dashboard, it goes to another screen without loading the page again. The router counts the
 * entries of the history in their states.
 */
export function goingTo(path: string): string {
  const state = '{ ...history.state, __TSR_index: (history.state?.__TSR_index ?? 0) + 1 }'
  return `history.pushState(${state}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`
}
