// Put before the service worker's script when it is served: see assess/screen.py.
declare const VERSION: string;
declare const FILES: string[];
