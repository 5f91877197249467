C     A call with a wrong width of INTEGER: it has to be refused.
C
C     Compiled with -fdefault-integer-8 and linked with libgeoms, or
C     without it and with libgeoms64.  The integers are variables,
C     entries of a COMMON block and constants; IOPT is zero but for the
C     unit of the messages and a few options.  EOM must not be called:
C     it would see nonsense.
C
      PROGRAM KIND
      IMPLICIT NONE
      INTEGER          NP,NV,NL,M,N,LIWORK,LRWORK,ITOL,IJAC,IOUT
      INTEGER          IOPT(40),IWORK(100),IPAR(4),IERR,IDID,K,BAD
      DOUBLE PRECISION X(5),T,TEND,H,RTOL(1),ATOL(1),ROPT(40),
     #                 RWORK(1000),RPAR(1)
      COMMON /DIM/     NP,NV,NL,M,N
      EXTERNAL         EOM,MAS,JAC,IVCOND,SOLOUT
      BAD=0
      DO 20 K=1,4
        NP=2
        NV=2
        NL=1
        M=7
        N=5
        ITOL=0
        IJAC=0
        IOUT=0
        LIWORK=100
        LRWORK=1000
        CALL CLEAR(IOPT,ROPT,X)
        IF (K.GE.2) IOPT(2)=6
        IF (K.GE.3) IOPT(15)=4
        IF (K.GE.4) IOPT(18)=-1
        X(5)=-1D0
        T=0D0
        TEND=1D0
        H=1D-2
        RTOL(1)=1D-6
        ATOL(1)=1D-6
        IERR=0
        IDID=0
        IF (MOD(K,2).EQ.0) THEN
          CALL GEOMS(NP,NV,0,0,0,NL,0,0,M,N,0,X,T,TEND,H,RTOL,ATOL,
     #      ITOL,IOPT,ROPT,IVCOND,EOM,MAS,JAC,IJAC,SOLOUT,IOUT,
     #      LIWORK,IWORK,LRWORK,RWORK,RPAR,IPAR,IERR,IDID)
        ELSE
          CALL GEOMS(2,2,0,0,0,1,0,0,7,5,0,X,T,TEND,H,RTOL,ATOL,
     #      0,IOPT,ROPT,IVCOND,EOM,MAS,JAC,0,SOLOUT,0,
     #      100,IWORK,1000,RWORK,RPAR,IPAR,IERR,IDID)
        END IF
        IF (IDID.NE.-1001) BAD=BAD+1
        WRITE(6,*) 'CASE',K,' IDID =',IDID
   20 CONTINUE
      IF (BAD.NE.0) STOP 1
      END
C
      SUBROUTINE CLEAR(IOPT,ROPT,X)
      IMPLICIT NONE
      INTEGER          IOPT(40),I
      DOUBLE PRECISION ROPT(40),X(5)
      DO 10 I=1,40
        IOPT(I)=0
        ROPT(I)=0D0
   10 CONTINUE
      DO 20 I=1,5
        X(I)=0D0
   20 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(*),RDA(*),ROPT(*),RPAR(*)
      WRITE(6,*) 'EOM was called'
      STOP 2
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(*),MA(*),ROPT(*),RPAR(*)
      WRITE(6,*) 'MAS was called'
      STOP 2
      END
C
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,T,X,
     #               FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(*),FX1(*),FX2(*),FX3(*),FX4(*),FX5(*),
     #                 FX6(*),ROPT(*),RPAR(*)
      STOP 2
      END
C
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,X(*),CONTX(*),H,C1M1,C2M1,RPAR(*)
      STOP 2
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(*),COND(*),RPAR(*)
      STOP 2
      END
