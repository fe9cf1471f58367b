import { userInfo } from 'node:os';

/** What a configuration is written for. Strings, because the documentation shows it with placeholders. */
export interface Place {
  readonly port: string;
  readonly testbedPort: string;
  /** Where the proxy keeps its configuration, logs and temporary files. */
  readonly folder: string;
}

/** A reverse proxy as its users first set it up: everything to one backend, all else left at its default. */
export interface ReverseProxy {
  readonly name: string;
  readonly command: string;
  /** Prints the version; the first match of the pattern is what the documentation says. */
  readonly version: { readonly argv: readonly string[]; readonly pattern: RegExp };
  readonly configurationFile: string;
  readonly configuration: (place: Place) => string;
  /** Runs it in the foreground. */
  readonly argv: (place: Place & { readonly configurationPath: string }) => readonly string[];
}

const isRoot = userInfo().uid === 0;

const nginx: ReverseProxy = {
  name: 'nginx',
  command: 'nginx',
  version: { argv: ['-v'], pattern: /nginx\/([\d.]+)/ },
  configurationFile: 'nginx.conf',
  // The paths are there because the defaults belong to root.
  configuration: ({ port, testbedPort, folder }) => `\
pid ${folder}/nginx.pid;
events {}
http {
    access_log off;
    client_body_temp_path ${folder}/body;
    proxy_temp_path ${folder}/proxy;
    fastcgi_temp_path ${folder}/fastcgi;
    uwsgi_temp_path ${folder}/uwsgi;
    scgi_temp_path ${folder}/scgi;
    server {
        listen 127.0.0.1:${port};
        location / {
            proxy_pass http://127.0.0.1:${testbedPort};
        }
    }
}
`,
  // Its workers would otherwise lose the right to write into the folder.
  argv: ({ configurationPath, folder }) => [
    ...['-p', folder, '-e', 'stderr', '-c', configurationPath],
    ...['-g', `daemon off;${isRoot ? ' user root;' : ''}`],
  ],
};

const haproxy: ReverseProxy = {
  name: 'HAProxy',
  command: 'haproxy',
  version: { argv: ['-v'], pattern: /HAProxy version ([\d.]+)/i },
  configurationFile: 'haproxy.cfg',
  configuration: ({ port, testbedPort }) => `\
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s

frontend clients
    bind 127.0.0.1:${port}
    default_backend testbed

backend testbed
    server testbed 127.0.0.1:${testbedPort}
`,
  argv: ({ configurationPath }) => ['-db', '-f', configurationPath],
};

const caddy: ReverseProxy = {
  name: 'Caddy',
  command: 'caddy',
  version: { argv: ['version'], pattern: /v?(\d+\.[\d.]+)/ },
  configurationFile: 'Caddyfile',
  configuration: ({ port, testbedPort, folder }) => `\
{
    admin off
    auto_https off
    storage file_system ${folder}
}

http://:${port} {
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:${testbedPort}
}
`,
  argv: ({ configurationPath }) => ['run', '--adapter', 'caddyfile', '--config', configurationPath],
};

const APACHE_MODULES = '/usr/lib/apache2/modules';

const apache: ReverseProxy = {
  name: 'Apache',
  command: 'apache2',
  version: { argv: ['-v'], pattern: /Apache\/([\d.]+)/ },
  configurationFile: 'apache2.conf',
  configuration: ({ port, testbedPort, folder }) => `\
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache2.pid
ErrorLog ${folder}/error.log
ServerName localhost
Listen 127.0.0.1:${port}
LoadModule mpm_event_module ${APACHE_MODULES}/mod_mpm_event.so
LoadModule authz_core_module ${APACHE_MODULES}/mod_authz_core.so
LoadModule proxy_module ${APACHE_MODULES}/mod_proxy.so
LoadModule proxy_http_module ${APACHE_MODULES}/mod_proxy_http.so
ProxyPass / http://127.0.0.1:${testbedPort}/
ProxyPassReverse / http://127.0.0.1:${testbedPort}/
`,
  // Started as root it insists on another user for its workers.
  argv: ({ configurationPath }) => [
    ...['-f', configurationPath, '-D', 'FOREGROUND'],
    ...(isRoot ? ['-C', 'User www-data', '-C', 'Group www-data'] : []),
  ],
};

/** In the order of the table. */
export const proxies: readonly ReverseProxy[] = [nginx, haproxy, caddy, apache];
