/** For an answer with 404: the access manager or its realm is at another address. */
export const ADDRESS_REMEDY =
  "check 'realm' of the AmService, and 'url', which has the context path of the access manager, such as '/openam'";
