/**
 * The script of a screen that could not be loaded. Browsers remember the failure as long as the page lives: only a new
 * page gets the script.
 */
export class ScriptError extends Error {
  constructor(cause: unknown) {
    super('The script of this screen could not be loaded.', { cause })
    this.name = 'ScriptError'
  }
}

/** Where in the tab it is kept for which path the page reloaded itself. */
const RELOADED_FOR = 'spoor-reloaded-for'

/** A screen's route out of its script, which is loaded when it is first opened. Throws ScriptError. */
export async function loadScreen<R>(load: () => Promise<{ readonly route: R }>): Promise<R> {
  try {
    const { route } = await load()
    sessionStorage.removeItem(RELOADED_FOR)
    return route
  } catch (error) {
    throw new ScriptError(error)
  }
}

/** A new page for this address, once: with a script that is really broken, it would reload for ever. */
export function reloadOnce(): void {
  if (sessionStorage.getItem(RELOADED_FOR) === location.pathname) return
  sessionStorage.setItem(RELOADED_FOR, location.pathname)
  location.reload()
}
