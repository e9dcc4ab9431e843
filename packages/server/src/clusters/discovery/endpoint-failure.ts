/**
 * An endpoint gave nothing of use. Its message is for whoever asked, the clients of a job among them: it names no key
 * and no address.
 */
export class EndpointFailure extends Error {
  override readonly name = 'EndpointFailure'
}
