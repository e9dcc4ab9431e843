/** Evaluated in a page of the dashboard, it goes to another screen as a link does, without loading the page again. */
export function goingTo(path: string): string {
  return `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`
}
