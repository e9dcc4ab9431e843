/**
 * In place of the page when its scripts cannot be had or do not run: what happened, and a way on. Made of nothing that
 * would have to be loaded.
 */
export function showLoadFailure(error: unknown): void {
  reportError(error)
  const title = document.createElement('h1')
  title.className = 'text-lg font-semibold'
  title.textContent = 'This page could not be loaded'
  const text = document.createElement('p')
  text.className = 'text-muted max-w-xl break-words'
  text.textContent = `${error instanceof Error ? error.message : String(error)}. Check that Spoor is running; after an upgrade, load the page again.`
  const again = document.createElement('button')
  again.type = 'button'
  again.className = 'text-accent underline'
  again.textContent = 'Load again'
  // With all of its address: the fragment may be somebody's first sign-in.
  again.addEventListener('click', () => location.reload())
  const place = document.createElement('div')
  place.role = 'alert'
  place.className = 'flex min-h-dvh flex-col items-center justify-center gap-3 px-4 text-center'
  place.append(title, text, again)
  document.getElementById('root')?.replaceChildren(place)
}
