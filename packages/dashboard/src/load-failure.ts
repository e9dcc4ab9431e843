/**
 * Shown instead of the page if its scripts fail to load or to run: the error and a reload button. It needs no other
 * script.
 */
export function showLoadFailure(error: unknown): void {
  reportError(error)
  const title = document.createElement('h1')
  title.className = 'text-lg font-semibold'
  title.textContent = 'This page could not be loaded'
  const text = document.createElement('p')
  text.className = 'text-muted max-w-xl break-words'
  const message = error instanceof Error ? error.message : String(error)
  const browsers = document.getElementById('oldest-browsers')?.textContent ?? ''
  text.textContent = `${message}. Check that Spoor is running. After an upgrade, reload the page. ${browsers}`
  const again = document.createElement('button')
  again.type = 'button'
  again.className = 'text-accent underline'
  again.textContent = 'Reload'
  // With the whole address: the fragment may hold a sign-in token.
  again.addEventListener('click', () => location.reload())
  const place = document.createElement('div')
  place.role = 'alert'
  place.className = 'flex min-h-dvh flex-col items-center justify-center gap-3 px-4 text-center'
  place.append(title, text, again)
  document.getElementById('root')?.replaceChildren(place)
}
