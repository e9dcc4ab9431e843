/**
 * The script of a screen failed to load. Browsers remember the failure for the life of the page, so only a reload gets
 * the script.
 */
export class ScriptError extends Error {
  constructor(cause: unknown) {
    super('The script of this screen could not be loaded.', { cause })
    this.name = 'ScriptError'
  }
}

/** Session storage key: the path for which this tab has reloaded itself. */
const RELOADED_FOR = 'spoor-reloaded-for'

/** Loads the script of a screen and returns its route. Throws ScriptError. */
export async function loadScreen<R>(load: () => Promise<{ readonly route: R }>): Promise<R> {
  try {
    const { route } = await load()
    sessionStorage.removeItem(RELOADED_FOR)
    return route
  } catch (error) {
    throw new ScriptError(error)
  }
}

/** Reloads the page once per path: with a broken script it would reload forever. */
export function reloadOnce(): void {
  if (sessionStorage.getItem(RELOADED_FOR) === location.pathname) return
  sessionStorage.setItem(RELOADED_FOR, location.pathname)
  location.reload()
}
