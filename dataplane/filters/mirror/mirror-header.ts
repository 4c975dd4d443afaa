/** Header that tells copies from requests of clients. */
export const MIRROR_HEADER = 'Gatewarden-Mirror';
