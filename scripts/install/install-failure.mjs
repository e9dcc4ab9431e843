/** A failed install. The message is for the user: what happened and what to do. */
export class InstallFailure extends Error {
  /**
   * @param {string} message
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message)
    this.name = 'InstallFailure'
    this.exitCode = exitCode
  }
}
