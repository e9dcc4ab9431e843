import { holdAddress, type StartingServer, type StartingServerOptions } from '../../http/connections/starting-server.ts'
import { flagOf } from '../../config/settings.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { portOwner } from './port-owner.ts'

/**
 * Takes the port of the service before anything is created. Throws OperatorError, with what to do, when it is not
 * available.
 */
export async function holdPort(options: StartingServerOptions): Promise<StartingServer> {
  try {
    return await holdAddress(options)
  } catch (error) {
    throw new OperatorError(await explainPort(error as NodeJS.ErrnoException, options, 'SPOOR_PORT'), { cause: error })
  }
}

/** Why the service cannot listen, and what to do. `setting` names the setting of the port. */
export async function explainPort(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<StartingServerOptions, 'host' | 'port'>,
  setting: 'SPOOR_PORT' | 'SPOOR_OTLP_GRPC_PORT',
): Promise<string> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const flag = flagOf(setting)
  const other = `choose another port with ${flag} or ${setting}, such as ${flag} ${port === 65_535 ? port - 1 : port + 1}`
  switch (error.code) {
    case 'EADDRINUSE': {
      const owner = await portOwner(port)
      return `${address} is in use${owner === null ? '' : ` by ${owner}`}. Stop what listens there, or ${other}.`
    }
    case 'EACCES':
      return `This account may not listen on ${address}: ports below 1024 need more rights. To go on, ${other}.`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Name one with --host or SPOOR_HOST; 0.0.0.0 is all of them.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} cannot be resolved (${error.code}). Give an address with --host or SPOOR_HOST.`
    default:
      return `The service cannot listen on ${address}: ${error.message}.`
  }
}
