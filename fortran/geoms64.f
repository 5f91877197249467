C     GEOMS and GEDENSOUT for programs with 64-bit INTEGER.
C
C     Compile this with the flag that makes INTEGER 64 bits wide
C     (gfortran: -fdefault-integer-8) and link it before the library:
C     the program keeps its CALL GEOMS(...) and reaches the symbol
C     geoms_64_.
C
      SUBROUTINE GEOMS(
     #   NP,NV,NR,NW,NS,NL,NM,NI,M,N,NIVCOND,
     #   X,T,TEND,H,RTOL,ATOL,ITOL,IOPT,ROPT,
     #   IVCOND,EOM,MAS,JAC,IJAC,
     #   SOLOUT,IOUT,
     #   LIWORK,IWORK,LRWORK,RWORK,
     #   RPAR,IPAR,IERR,
     #   IDID)
      IMPLICIT NONE
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,M,N,NIVCOND,
     #                 ITOL,IJAC,IOUT,LIWORK,LRWORK,IERR,IDID,
     #                 IOPT(*),IWORK(*),IPAR(*)
      DOUBLE PRECISION T,TEND,H,X(*),RTOL(*),ATOL(*),ROPT(*),
     #                 RWORK(*),RPAR(*)
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,GEOMS_64
      CALL GEOMS_64(
     #   NP,NV,NR,NW,NS,NL,NM,NI,M,N,NIVCOND,
     #   X,T,TEND,H,RTOL,ATOL,ITOL,IOPT,ROPT,
     #   IVCOND,EOM,MAS,JAC,IJAC,
     #   SOLOUT,IOUT,
     #   LIWORK,IWORK,LRWORK,RWORK,
     #   RPAR,IPAR,IERR,
     #   IDID)
      RETURN
      END
C
      DOUBLE PRECISION FUNCTION GEDENSOUT(I,TOUT,N,NN2,NN3,NN4,T,H,
     #                                    CONTX,C1M1,C2M1)
      IMPLICIT NONE
      INTEGER          I,N,NN2,NN3,NN4
      DOUBLE PRECISION TOUT,T,H,CONTX(*),C1M1,C2M1,GEDENSOUT_64
      EXTERNAL         GEDENSOUT_64
      GEDENSOUT=GEDENSOUT_64(I,TOUT,N,NN2,NN3,NN4,T,H,
     #                       CONTX,C1M1,C2M1)
      RETURN
      END
